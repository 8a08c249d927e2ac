/**
 * The tasks: for each of the seven families a few kinds of episode, each a function from a seeded generator to a request and its steps.
 * A step knows its page, what is done there and how to say so; numbers, places and wording come later (page.ts, prompt.ts).
 */
import { knownFamilies } from '../../main/recipes/webmix/families.ts';
import type { Item, ItemRole, Page, PageKind } from './page.ts';
import type { Random } from './random.ts';
import * as words from './words.ts';

export { knownFamilies as families };
export type Family = (typeof knownFamilies)[number];

export type Action =
  | { kind: 'click'; item: Item }
  | { kind: 'click_at'; item: Item }
  | { kind: 'input'; item: Item; text: string }
  | { kind: 'select'; item: Item; option: string }
  | { kind: 'drag'; from: Item; to: Item }
  | { kind: 'scroll'; down: boolean; pages: number }
  | { kind: 'navigate'; url: string }
  | { kind: 'go_back' }
  | { kind: 'upload'; item: Item; file: string }
  | { kind: 'extract'; query: string }
  | { kind: 'wait'; seconds: number }
  | { kind: 'done'; text: string };

export interface Step {
  page: Page;
  action: Action;
  /** "open the Billing page": what this step is for. */
  goal: string;
  /** "opened the Billing page": the same, once it is done. */
  past: string;
}

export interface Episode {
  family: Family;
  macro: string;
  request: string;
  steps: Step[];
  /** Files that the user handed over. */
  files: string[];
}

const themes = ['#2b5c8a', '#6a3d7c', '#2f6f4f', '#8a4b2b', '#444c5c', '#9c2f45', '#1f6f78', '#5b6b1f'];

function item(role: ItemRole, label: string, more: Partial<Item> = {}): Item {
  return { role, label, ...more };
}

/** A page with a site's header and some links, so that no two have the same element numbers. */
function page(random: Random, kind: PageKind, title: string, items: Item[], site = random.pick(words.sites)): Page {
  const links = random
    .sample(words.sections, random.integer(1, 3))
    .map((label) => item('link', label, { group: 'nav' }));
  const path = title.toLowerCase().replaceAll(' ', '-');
  return {
    kind,
    title,
    url: `https://${site.toLowerCase()}.example/${path}`,
    colour: random.pick(themes),
    items: [...links, ...items],
    pagesBelow: random.pick([0, 0, 0, 1, 2]),
    width: 1280,
    height: 800,
  };
}

/** The page after something changed on it; items that are named in `changes` get the new values. */
function after(before: Page, changes: ReadonlyMap<Item, Partial<Item>>): Page {
  return { ...before, items: before.items.map((old) => ({ ...old, ...changes.get(old) })) };
}

/** The item of a later copy of the page that has the same role and label. */
function same(where: Page, wanted: Item): Item {
  const found = where.items.find((candidate) => candidate.role === wanted.role && candidate.label === wanted.label);
  if (!found) throw new Error(`no ${wanted.role} "${wanted.label}" on ${where.title}`);
  return found;
}

const last = (steps: readonly Step[]): Page => {
  const step = steps.at(-1);
  if (!step) throw new Error('an episode needs a step before its end');
  return { ...step.page, items: step.page.items.map((old) => ({ ...old })) };
};

function done(steps: Step[], text: string): Step {
  return {
    page: last(steps),
    action: { kind: 'done', text },
    goal: 'report that the task is complete',
    past: 'finished',
  };
}

// ── Drag & gesture ──────────────────────────────────────────────────────────

function boardMove(random: Random): Episode {
  const columns = random.sample(words.boardColumns, 3);
  const cards = random.sample(words.tasks, random.integer(3, 5));
  const items: Item[] = [];
  columns.forEach((name) => items.push(item('zone', name, { group: name })));
  cards.forEach((name, order) => items.push(item('card', name, { group: columns[order % 2] ?? 'main' })));
  const first = page(random, 'board', `${random.pick(words.sites)} board`, items);
  const card = random.pick(first.items.filter((one) => one.role === 'card'));
  const target = columns[2] ?? '';
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'drag', from: card, to: same(first, item('zone', target)) },
      goal: `drag ${card.label} to ${target}`,
      past: `dragged ${card.label} to ${target}`,
    },
  ];
  const second = after(first, new Map([[card, { group: target }]]));
  if (random.chance(0.5)) {
    const save = item('button', 'Save board');
    const shown: Page = { ...second, items: [...second.items, save] };
    steps.push({
      page: shown,
      action: { kind: 'click', item: save },
      goal: 'click Save board',
      past: 'clicked Save board',
    });
    steps.push(done(steps, `${card.label} is now in ${target}.`));
  } else {
    steps.push({
      page: second,
      action: { kind: 'done', text: `${card.label} is now in ${target}.` },
      goal: 'report that the task is complete',
      past: 'finished',
    });
  }
  return {
    family: 'Drag & gesture',
    macro: 'board-move',
    request: `Move the card "${card.label}" to the column ${target}.`,
    steps,
    files: [],
  };
}

function sortList(random: Random): Episode {
  const names = random.sample(words.products, random.integer(4, 6));
  const first = page(random, 'sortable', `${random.pick(words.categories)} ranking`, [
    item('heading', 'Drag to sort'),
    ...names.map((name) => item('card', name)),
  ]);
  const cards = first.items.filter((one) => one.role === 'card');
  const [moved, above] = random.sample(cards, 2) as [Item, Item];
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'drag', from: moved, to: above },
      goal: `drag ${moved.label} above ${above.label}`,
      past: `dragged ${moved.label} above ${above.label}`,
    },
  ];
  const order = first.items.filter((one) => one !== moved);
  order.splice(order.indexOf(above), 0, moved);
  const second: Page = { ...first, items: order.map((old) => ({ ...old })) };
  steps.push({
    page: second,
    action: { kind: 'done', text: `${moved.label} stands above ${above.label}.` },
    goal: 'report that the task is complete',
    past: 'finished',
  });
  return {
    family: 'Drag & gesture',
    macro: 'sort-list',
    request: `Put ${moved.label} right above ${above.label} in the list.`,
    steps,
    files: [],
  };
}

function mapSlider(random: Random): Episode {
  const town = random.pick(words.cities);
  const ticks = [10, 20, 30, 40, 50, 60]
    .slice(0, random.integer(4, 6))
    .map((value) => item('tick', `${String(value)} km`));
  const markers = random.sample(words.cities, 4).map((name) => item('marker', name));
  const first = page(random, 'map', `Map of ${town}`, [...markers, item('handle', 'Radius'), ...ticks]);
  const handle = same(first, item('handle', 'Radius'));
  const tick = random.pick(ticks);
  const marker = random.pick(markers);
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'drag', from: handle, to: tick },
      goal: `drag the Radius slider to ${tick.label}`,
      past: `set the Radius slider to ${tick.label}`,
    },
  ];
  const second = after(first, new Map());
  steps.push({
    page: second,
    action: { kind: 'click_at', item: same(second, marker) },
    goal: `click the marker ${marker.label}`,
    past: `clicked the marker ${marker.label}`,
  });
  steps.push(done(steps, `The radius is ${tick.label} and ${marker.label} is selected.`));
  return {
    family: 'Drag & gesture',
    macro: 'map-slider',
    request: `Set the radius to ${tick.label}, then select ${marker.label} on the map.`,
    steps,
    files: [],
  };
}

// ── Discrete selection ──────────────────────────────────────────────────────

function toggleSettings(random: Random): Episode {
  const names = random.sample(words.settings, random.integer(4, 7));
  const first = page(random, 'settings', 'Settings', [
    item('heading', 'Preferences'),
    ...names.map((name) => item('checkbox', name, { checked: random.chance(0.4) })),
    item('button', 'Save'),
  ]);
  const box = random.pick(first.items.filter((one) => one.role === 'checkbox'));
  const verb = box.checked ? 'off' : 'on';
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'click', item: box },
      goal: `turn ${verb} ${box.label}`,
      past: `turned ${verb} ${box.label}`,
    },
  ];
  const second = after(first, new Map([[box, { checked: !box.checked }]]));
  steps.push({
    page: second,
    action: { kind: 'click', item: same(second, item('button', 'Save')) },
    goal: 'click Save',
    past: 'clicked Save',
  });
  steps.push(done(steps, `${box.label} is ${verb}.`));
  return {
    family: 'Discrete selection',
    macro: 'toggle-settings',
    request: `Turn ${verb} ${box.label} and save.`,
    steps,
    files: [],
  };
}

function chooseOption(random: Random): Episode {
  const colour = random.sample(words.colours, 4);
  const size = random.sample(words.sizes, 3);
  const product = random.pick(words.products);
  const first = page(random, 'shop', product, [
    item('heading', `${product}, ${String(random.integer(8, 90))} euros`),
    item('select', 'Colour', { options: colour }),
    ...size.map((name) => item('radio', name, { group: 'size' })),
    item('button', 'Add to cart'),
  ]);
  const select = same(first, item('select', 'Colour'));
  const wanted = random.pick(colour);
  const radio = random.pick(size);
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'select', item: select, option: wanted },
      goal: `choose ${wanted} as Colour`,
      past: `chose ${wanted} as Colour`,
    },
  ];
  const second = after(first, new Map([[select, { value: wanted }]]));
  steps.push({
    page: second,
    action: { kind: 'click', item: same(second, item('radio', radio)) },
    goal: `select ${radio}`,
    past: `selected ${radio}`,
  });
  const third = after(second, new Map([[same(second, item('radio', radio)), { checked: true }]]));
  steps.push({
    page: third,
    action: { kind: 'click', item: same(third, item('button', 'Add to cart')) },
    goal: 'click Add to cart',
    past: 'clicked Add to cart',
  });
  steps.push(done(steps, `${product} in ${wanted}, ${radio}, is in the cart.`));
  return {
    family: 'Discrete selection',
    macro: 'choose-option',
    request: `Add the ${product} to the cart in ${wanted}, ${radio}.`,
    steps,
    files: [],
  };
}

function pickDay(random: Random): Episode {
  const month = random.pick(words.months);
  const start = random.integer(1, 14);
  const days = Array.from({ length: 10 }, (_, offset) => item('day', String(start + offset), { group: 'days' }));
  const first = page(random, 'calendar', `${month} calendar`, [
    item('heading', month),
    ...days,
    item('button', 'Book'),
  ]);
  const day = random.pick(days);
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'click', item: same(first, day) },
      goal: `pick day ${day.label}`,
      past: `picked day ${day.label}`,
    },
  ];
  const second = after(first, new Map());
  steps.push({
    page: second,
    action: { kind: 'click', item: same(second, item('button', 'Book')) },
    goal: 'click Book',
    past: 'clicked Book',
  });
  steps.push(done(steps, `${month} ${day.label} is booked.`));
  return { family: 'Discrete selection', macro: 'pick-day', request: `Book ${month} ${day.label}.`, steps, files: [] };
}

// ── Text entry ──────────────────────────────────────────────────────────────

function searchBox(random: Random): Episode {
  const query = random.chance(0.5) ? random.pick(words.products) : random.pick(words.cities);
  const first = page(random, 'list', 'Search', [
    item('input', 'Search'),
    item('button', 'Go'),
    item('text', `${String(random.integer(20, 900))} entries`),
  ]);
  const box = same(first, item('input', 'Search'));
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'input', item: box, text: query },
      goal: `type ${query} into Search`,
      past: `typed ${query} into Search`,
    },
  ];
  const second = after(first, new Map([[box, { value: query }]]));
  steps.push({
    page: second,
    action: { kind: 'click', item: same(second, item('button', 'Go')) },
    goal: 'click Go',
    past: 'clicked Go',
  });
  steps.push(done(steps, `Searched for ${query}.`));
  return { family: 'Text entry', macro: 'search-box', request: `Search for ${query}.`, steps, files: [] };
}

function writeNote(random: Random): Episode {
  const text = random.pick(words.notes);
  const first = page(random, 'form', 'Notes', [
    item('heading', 'New note'),
    item('input', 'Title'),
    item('textarea', 'Note'),
    item('button', 'Cancel'),
    item('button', 'Save note'),
  ]);
  const area = same(first, item('textarea', 'Note'));
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'input', item: area, text },
      goal: `type ${text} into Note`,
      past: `typed ${text} into Note`,
    },
  ];
  const second = after(first, new Map([[area, { value: text }]]));
  steps.push({
    page: second,
    action: { kind: 'click', item: same(second, item('button', 'Save note')) },
    goal: 'click Save note',
    past: 'clicked Save note',
  });
  steps.push(done(steps, 'The note is saved.'));
  return {
    family: 'Text entry',
    macro: 'write-note',
    request: `Write a note that says "${text}" and save it.`,
    steps,
    files: [],
  };
}

function editName(random: Random): Episode {
  const old = `${random.pick(words.firstNames)} ${random.pick(words.lastNames)}`;
  const name = `${random.pick(words.firstNames)} ${random.pick(words.lastNames)}`;
  const first = page(random, 'form', 'Profile', [
    item('input', 'Full name', { value: old }),
    item('input', 'City', { value: random.pick(words.cities) }),
    item('button', 'Update profile'),
  ]);
  const box = same(first, item('input', 'Full name'));
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'input', item: box, text: name },
      goal: `type ${name} into Full name`,
      past: `typed ${name} into Full name`,
    },
  ];
  const second = after(first, new Map([[box, { value: name }]]));
  steps.push({
    page: second,
    action: { kind: 'click', item: same(second, item('button', 'Update profile')) },
    goal: 'click Update profile',
    past: 'clicked Update profile',
  });
  steps.push(done(steps, `The name is now ${name}.`));
  return { family: 'Text entry', macro: 'edit-name', request: `Change the full name to ${name}.`, steps, files: [] };
}

// ── Form transaction ────────────────────────────────────────────────────────

/** Fill fields one after the other, then press the button. */
function fillForm(start: Page, fields: readonly [Item, string][], button: string): Step[] {
  const steps: Step[] = [];
  let now = start;
  for (const [field, text] of fields) {
    const box = same(now, field);
    if (box.role === 'select') {
      steps.push({
        page: now,
        action: { kind: 'select', item: box, option: text },
        goal: `choose ${text} as ${box.label}`,
        past: `chose ${text} as ${box.label}`,
      });
    } else {
      steps.push({
        page: now,
        action: { kind: 'input', item: box, text },
        goal: `type ${text} into ${box.label}`,
        past: `typed ${text} into ${box.label}`,
      });
    }
    now = after(now, new Map([[box, { value: text }]]));
  }
  steps.push({
    page: now,
    action: { kind: 'click', item: same(now, item('button', button)) },
    goal: `click ${button}`,
    past: `clicked ${button}`,
  });
  return steps;
}

function signIn(random: Random): Episode {
  const user = random.pick(words.firstNames).toLowerCase() + String(random.integer(10, 99));
  const secret = `${random.pick(words.animals)}-${String(random.integer(100, 999))}`;
  const start = page(random, 'form', 'Sign in', [
    item('input', 'User name'),
    item('password', 'Password'),
    item('button', 'Sign in'),
    item('link', 'Forgot password'),
  ]);
  const steps = fillForm(
    start,
    [
      [item('input', 'User name'), user],
      [item('password', 'Password'), secret],
    ],
    'Sign in',
  );
  steps.push(done(steps, `Signed in as ${user}.`));
  return {
    family: 'Form transaction',
    macro: 'sign-in',
    request: `Sign in as ${user} with the password ${secret}.`,
    steps,
    files: [],
  };
}

function checkout(random: Random): Episode {
  const name = `${random.pick(words.firstNames)} ${random.pick(words.lastNames)}`;
  const country = random.sample(words.countries, 4);
  const wanted = random.pick(country);
  const start = page(random, 'form', 'Checkout', [
    item('heading', `${random.pick(words.products)}, ${String(random.integer(5, 99))} euros`),
    item('input', 'Name'),
    item('select', 'Country', { options: country }),
    item('button', 'Place order'),
    item('button', 'Back to cart'),
  ]);
  const steps = fillForm(
    start,
    [
      [item('input', 'Name'), name],
      [item('select', 'Country'), wanted],
    ],
    'Place order',
  );
  steps.push(done(steps, `The order for ${name} is placed.`));
  return {
    family: 'Form transaction',
    macro: 'checkout',
    request: `Place the order for ${name}, shipping to ${wanted}.`,
    steps,
    files: [],
  };
}

function contactForm(random: Random): Episode {
  const name = random.pick(words.firstNames);
  const text = random.pick(words.notes);
  const start = page(random, 'mail', 'Contact us', [
    item('input', 'Your name'),
    item('textarea', 'Message'),
    item('button', 'Send message'),
    item('link', 'Opening hours'),
  ]);
  const steps = fillForm(
    start,
    [
      [item('input', 'Your name'), name],
      [item('textarea', 'Message'), text],
    ],
    'Send message',
  );
  steps.push(done(steps, 'The message is sent.'));
  return {
    family: 'Form transaction',
    macro: 'contact-form',
    request: `Send the message "${text}" as ${name}.`,
    steps,
    files: [],
  };
}

// ── Navigation ──────────────────────────────────────────────────────────────

function menuLink(random: Random): Episode {
  const site = random.pick(words.sites);
  const [target, sub] = random.sample(words.sections, 2) as [string, string];
  const others = random.sample(
    words.sections.filter((name) => name !== target && name !== sub),
    3,
  );
  const links = random.shuffle([target, ...others.slice(0, 2)]).map((name) => item('link', name));
  const first = page(random, 'list', 'Home page', [item('heading', `Welcome to ${site}`), ...links], site);
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'click', item: same(first, item('link', target)) },
      goal: `open ${target}`,
      past: `opened ${target}`,
    },
  ];
  const second = page(
    random,
    'list',
    target,
    [item('heading', target), ...random.shuffle([sub, ...others.slice(2)]).map((name) => item('link', name))],
    site,
  );
  steps.push({
    page: second,
    action: { kind: 'click', item: same(second, item('link', sub)) },
    goal: `open ${sub}`,
    past: `opened ${sub}`,
  });
  steps.push({
    page: page(
      random,
      'article',
      sub,
      [item('heading', sub), item('text', `This is the ${sub} page of ${site}.`)],
      site,
    ),
    action: { kind: 'done', text: `The ${sub} page is open.` },
    goal: 'report that the task is complete',
    past: 'finished',
  });
  return { family: 'Navigation', macro: 'menu-link', request: `Open ${target}, then ${sub}.`, steps, files: [] };
}

function pagination(random: Random): Episode {
  const now = random.integer(1, 4);
  const names = random.sample(words.products, 4);
  const first = page(random, 'table', `Stock list page ${String(now)}`, [
    ...names.map((name) => item('text', `${name}: ${String(random.integer(1, 80))} pieces`)),
    item('link', 'Previous'),
    item('link', 'Next'),
  ]);
  const second = page(random, 'table', `Stock list page ${String(now + 1)}`, [
    ...random.sample(words.products, 3).map((name) => item('text', name)),
    item('link', 'Previous'),
    item('link', 'Next'),
  ]);
  const steps: Step[] = [
    {
      page: { ...first, pagesBelow: 2 },
      action: { kind: 'scroll', down: true, pages: 1 },
      goal: 'scroll down to the page links',
      past: 'scrolled down',
    },
    {
      page: first,
      action: { kind: 'click', item: same(first, item('link', 'Next')) },
      goal: `open page ${String(now + 1)}`,
      past: `opened page ${String(now + 1)}`,
    },
    {
      page: second,
      action: { kind: 'done', text: `Page ${String(now + 1)} is open.` },
      goal: 'report that the task is complete',
      past: 'finished',
    },
  ];
  return {
    family: 'Navigation',
    macro: 'pagination',
    request: `Go to page ${String(now + 1)} of the stock list.`,
    steps,
    files: [],
  };
}

function goBack(random: Random): Episode {
  const site = random.pick(words.sites);
  const target = random.pick(words.sections);
  const url = `https://${site.toLowerCase()}.example/${target.toLowerCase()}`;
  const first = page(random, 'article', 'Not found', [
    item('heading', 'This page is gone'),
    item('text', 'Go back or use the menu.'),
  ]);
  const second = page(
    random,
    'list',
    'Start',
    [item('heading', 'Start'), ...random.sample(words.sections, 2).map((name) => item('link', name))],
    site,
  );
  const steps: Step[] = [
    { page: first, action: { kind: 'go_back' }, goal: 'go back to the last page', past: 'went back' },
    { page: second, action: { kind: 'navigate', url }, goal: `go to ${url}`, past: `went to ${url}` },
    {
      page: page(random, 'article', target, [item('heading', target)], site),
      action: { kind: 'done', text: `${target} is open.` },
      goal: 'report that the task is complete',
      past: 'finished',
    },
  ];
  return { family: 'Navigation', macro: 'go-back', request: `Leave this page and go to ${url}.`, steps, files: [] };
}

// ── Out-of-page I/O ─────────────────────────────────────────────────────────

const fileName = (random: Random): string =>
  `${random.pick(words.fileNames)}-${String(random.integer(1, 99))}.${random.pick(words.fileKinds)}`;

function uploadFile(random: Random): Episode {
  const file = fileName(random);
  const label = random.pick(['Attachment', 'Document', 'Upload', 'Your file']);
  const first = page(random, 'files', 'Upload', [
    item('heading', 'Send us a file'),
    item('file', label),
    item('button', 'Send file'),
    item('button', 'Clear'),
  ]);
  const box = same(first, item('file', label));
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'upload', item: box, file },
      goal: `upload ${file} to ${label}`,
      past: `uploaded ${file} to ${label}`,
    },
  ];
  const second = after(first, new Map([[box, { value: file }]]));
  steps.push({
    page: second,
    action: { kind: 'click', item: same(second, item('button', 'Send file')) },
    goal: 'click Send file',
    past: 'clicked Send file',
  });
  steps.push(done(steps, `${file} is sent.`));
  return {
    family: 'Out-of-page I/O',
    macro: 'upload-file',
    request: `Upload ${file} and send it.`,
    steps,
    files: [file, fileName(random)],
  };
}

function downloadFile(random: Random): Episode {
  const names = Array.from(new Set([fileName(random), fileName(random), fileName(random)]));
  const first = page(
    random,
    'files',
    'Downloads',
    names.map((name) => item('link', name)),
  );
  const file = random.pick(names);
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'click', item: same(first, item('link', file)) },
      goal: `download ${file}`,
      past: `started the download of ${file}`,
    },
  ];
  const second = after(first, new Map());
  const seconds = random.integer(2, 5);
  steps.push({
    page: second,
    action: { kind: 'wait', seconds },
    goal: `wait ${String(seconds)} seconds for the download`,
    past: `waited ${String(seconds)} seconds`,
  });
  const third = after(second, new Map());
  steps.push({
    page: third,
    action: { kind: 'done', text: `${file} is downloaded.` },
    goal: 'report that the task is complete',
    past: 'finished',
  });
  return { family: 'Out-of-page I/O', macro: 'download-file', request: `Download ${file}.`, steps, files: [] };
}

function extractMail(random: Random): Episode {
  const subject = random.pick(words.subjects);
  const sender = random.pick(words.firstNames);
  const others = random.sample(
    words.subjects.filter((name) => name !== subject),
    2,
  );
  const first = page(
    random,
    'mail',
    'Inbox',
    random.shuffle([subject, ...others]).map((name) => item('link', name)),
  );
  const code = String(random.integer(1000, 9999));
  const second = page(random, 'mail', subject, [
    item('heading', subject),
    item('text', `From ${sender}. The door code is ${code}.`),
    item('button', 'Reply'),
  ]);
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'click', item: same(first, item('link', subject)) },
      goal: `open the mail ${subject}`,
      past: `opened the mail ${subject}`,
    },
    {
      page: second,
      action: { kind: 'extract', query: 'door code' },
      goal: 'extract the door code',
      past: 'extracted the door code',
    },
  ];
  steps.push(done(steps, `The door code is ${code}.`));
  return {
    family: 'Out-of-page I/O',
    macro: 'extract-mail',
    request: `Find the door code in the mail ${subject}.`,
    steps,
    files: [],
  };
}

// ── Reasoning base ──────────────────────────────────────────────────────────

function cheapest(random: Random): Episode {
  const names = random.sample(words.products, 3);
  const prices = random
    .shuffle([1, 2, 3, 4, 5, 6, 7, 8, 9])
    .slice(0, 3)
    .map((tens) => tens * 10 + random.integer(0, 9));
  const rows = names.map((name, order) => item('text', `${name}: ${String(prices[order])} euros`));
  const best = prices.indexOf(Math.min(...prices));
  const name = names[best] ?? '';
  const first = page(random, 'shop', random.pick(words.categories), [
    ...rows,
    ...names.map((label) => item('button', `Buy ${label}`)),
  ]);
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'extract', query: 'prices' },
      goal: 'compare the prices',
      past: 'compared the prices',
    },
    {
      page: after(first, new Map()),
      action: { kind: 'done', text: `${name} is the cheapest at ${String(prices[best])} euros.` },
      goal: `answer that ${name} is the cheapest`,
      past: 'answered',
    },
  ];
  return {
    family: 'Reasoning base',
    macro: 'cheapest',
    request: 'Which of these products is the cheapest?',
    steps,
    files: [],
  };
}

function articleFact(random: Random): Episode {
  const animal = random.pick(words.animals);
  const habitat = random.pick(words.habitats);
  const food = random.pick(words.foods);
  const text = [
    `The ${animal} lives in ${habitat}.`,
    `It mostly eats ${food}.`,
    `It can live for ${String(random.integer(5, 40))} years.`,
  ];
  const first: Page = {
    ...page(random, 'article', `About the ${animal}`, [
      item('heading', `About the ${animal}`),
      ...text.map((line) => item('text', line)),
    ]),
    pagesBelow: 1,
  };
  const askFood = random.chance(0.5);
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'scroll', down: true, pages: 1 },
      goal: 'scroll down to read the rest',
      past: 'scrolled down',
    },
    {
      page: { ...after(first, new Map()), pagesBelow: 0 },
      action: {
        kind: 'done',
        text: askFood ? `The ${animal} mostly eats ${food}.` : `The ${animal} lives in ${habitat}.`,
      },
      goal: `answer with ${askFood ? food : habitat}`,
      past: 'answered',
    },
  ];
  return {
    family: 'Reasoning base',
    macro: 'article-fact',
    request: askFood ? `What does the ${animal} eat?` : `Where does the ${animal} live?`,
    steps,
    files: [],
  };
}

function orderStatus(random: Random): Episode {
  const numbers = random.sample([...Array(900).keys()], 3).map((number) => number + 100);
  const states = random.sample(['shipped', 'packed', 'on hold', 'delivered', 'cancelled'], 3);
  const rows = numbers.map((number, order) => item('text', `Order ${String(number)}: ${states[order] ?? ''}`));
  const first = page(random, 'table', 'Orders', [...rows, item('link', 'Details'), item('button', 'Print')]);
  const which = random.integer(0, 2);
  const steps: Step[] = [
    {
      page: first,
      action: { kind: 'click', item: same(first, item('link', 'Details')) },
      goal: 'open Details',
      past: 'opened Details',
    },
    {
      page: after(first, new Map()),
      action: { kind: 'done', text: `Order ${String(numbers[which])} is ${states[which] ?? ''}.` },
      goal: `answer that order ${String(numbers[which])} is ${states[which] ?? ''}`,
      past: 'answered',
    },
  ];
  return {
    family: 'Reasoning base',
    macro: 'order-status',
    request: `What is the status of order ${String(numbers[which])}?`,
    steps,
    files: [],
  };
}

export const makers: Readonly<Record<Family, readonly ((random: Random) => Episode)[]>> = {
  'Drag & gesture': [boardMove, sortList, mapSlider],
  'Discrete selection': [toggleSettings, chooseOption, pickDay],
  'Text entry': [searchBox, writeNote, editName],
  'Form transaction': [signIn, checkout, contactForm],
  Navigation: [menuLink, pagination, goBack],
  'Out-of-page I/O': [uploadFile, downloadFile, extractMail],
  'Reasoning base': [cheapest, articleFact, orderStatus],
};
