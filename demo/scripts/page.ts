/**
 * A page is a list of items. From one list come the HTML that Chromium draws and the element list that the prompt shows, so the
 * two cannot disagree. Coordinates run from 0 to 1000 across the screenshot and are measured in the drawn page.
 */
import { Random } from './random.ts';

export type ItemRole =
  | 'button'
  | 'link'
  | 'input'
  | 'password'
  | 'textarea'
  | 'select'
  | 'checkbox'
  | 'radio'
  | 'file'
  | 'card'
  | 'zone'
  | 'handle'
  | 'tick'
  | 'marker'
  | 'day'
  | 'text'
  | 'heading';

export interface Item {
  role: ItemRole;
  label: string;
  value?: string;
  options?: readonly string[];
  checked?: boolean;
  /** Which column, row or panel it is drawn in. */
  group?: string;
  /** Number in square brackets; texts have none. Set by `numberItems`. */
  index?: number;
  /** Centre, 0 to 1000. Measured in Chromium, or made up for pages that are never drawn. */
  at?: { x: number; y: number };
}

export type PageKind =
  | 'form'
  | 'list'
  | 'board'
  | 'sortable'
  | 'map'
  | 'calendar'
  | 'table'
  | 'article'
  | 'mail'
  | 'files'
  | 'shop'
  | 'settings';

export interface Page {
  kind: PageKind;
  title: string;
  url: string;
  colour: string;
  items: Item[];
  pagesBelow: number;
  width: number;
  height: number;
}

const silent: ReadonlySet<ItemRole> = new Set(['text', 'heading']);
/** Items whose place is part of what the model is told: those that one drags to, or clicks by coordinate. */
export const placed: ReadonlySet<ItemRole> = new Set(['card', 'zone', 'handle', 'tick', 'marker']);

/**
 * Numbers grow with gaps, as they do in a real element list, so that they have to be read and cannot be counted. The same page keeps
 * its numbers from step to step; another `salt` gives others.
 */
export function numberItems(page: Page, salt: number): void {
  let hash = salt >>> 0;
  for (const letter of page.url) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  const random = new Random(hash);
  let index = random.integer(1, 30);
  for (const item of page.items) {
    if (silent.has(item.role)) continue;
    item.index = index;
    index += random.integer(1, 4);
  }
}

/** Places for a page that is never drawn. */
export function inventPlaces(page: Page, random: Random): void {
  for (const item of page.items) {
    if (placed.has(item.role)) item.at = { x: random.integer(30, 970), y: random.integer(90, 960) };
  }
}

/** The element list of the prompt. */
export function elementList(page: Page): string {
  return page.items.map(elementLine).join('\n');
}

function elementLine(item: Item): string {
  if (silent.has(item.role)) return item.label;
  const at = item.at ? ` at=${String(item.at.x)},${String(item.at.y)}` : '';
  const value = item.value === undefined ? '' : ` value="${item.value}"`;
  const checked = item.checked ? ' checked' : '';
  const head = `[${String(item.index)}]`;
  switch (item.role) {
    case 'button':
      return `${head}<button>${item.label}</button>`;
    case 'link':
      return `${head}<a>${item.label}</a>`;
    case 'input':
      return `${head}<input type=text name="${item.label}"${value}/>`;
    case 'password':
      return `${head}<input type=password name="${item.label}"${value}/>`;
    case 'textarea':
      return `${head}<textarea name="${item.label}"${value}/>`;
    case 'select':
      return `${head}<select name="${item.label}"${value}>${(item.options ?? []).join('|')}</select>`;
    case 'checkbox':
      return `${head}<input type=checkbox name="${item.label}"${checked}/>`;
    case 'radio':
      return `${head}<input type=radio name="${item.label}"${checked}/>`;
    case 'file':
      return `${head}<input type=file name="${item.label}"${value}/>`;
    case 'day':
      return `${head}<td>${item.label}</td>`;
    case 'card':
      return `${head}<div draggable${at}>${item.label}</div>`;
    case 'zone':
      return `${head}<div dropzone${at}>${item.label}</div>`;
    case 'handle':
      return `${head}<div slider${at}>${item.label}</div>`;
    case 'tick':
      return `${head}<span tick${at}>${item.label}</span>`;
    case 'marker':
      return `${head}<canvas marker${at}>${item.label}</canvas>`;
    default:
      throw new Error(`no line for role ${item.role}`);
  }
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter] ?? letter);

function itemHtml(item: Item, key: number): string {
  const label = escape(item.label);
  const mark = `data-key="${String(key)}"`;
  const value = item.value === undefined ? '' : escape(item.value);
  switch (item.role) {
    case 'heading':
      return `<h2 ${mark}>${label}</h2>`;
    case 'text':
      return `<p ${mark}>${label}</p>`;
    case 'button':
      return `<button ${mark}>${label}</button>`;
    case 'link':
      return `<a ${mark}>${label}</a>`;
    case 'input':
    case 'password':
    case 'textarea':
      return `<label class="field">${label}<span class="box ${item.role}" ${mark}>${item.role === 'password' ? '•'.repeat(value.length) : value}</span></label>`;
    case 'select':
      return `<label class="field">${label}<span class="box select" ${mark}>${value || 'Choose'} ▾</span></label>`;
    case 'checkbox':
      return `<div class="toggle"><span>${label}</span><i class="${item.checked ? 'on' : 'off'}" ${mark}></i></div>`;
    case 'radio':
      return `<div class="choice"><i class="${item.checked ? 'dot' : 'ring'}" ${mark}></i><span>${label}</span></div>`;
    case 'file':
      return `<div class="drop" ${mark}>${label}: ${value || 'no file chosen'}</div>`;
    case 'card':
      return `<div class="card" ${mark}>${label}</div>`;
    case 'zone':
      return `<div class="zone" ${mark}>${label}</div>`;
    case 'handle':
      return `<div class="handle" ${mark} title="${label}"></div>`;
    case 'tick':
      return `<span class="tick" ${mark}>${label}</span>`;
    case 'marker':
      return `<span class="marker" ${mark}>${label}</span>`;
    case 'day':
      return `<span class="day" ${mark}>${label}</span>`;
  }
}

/** Where in the page items go that have no natural flow: pins on a map, ticks along a slider. Depends on the label only. */
function pinned(item: Item, html: string, order: number): string {
  if (item.role === 'tick') return `<div class="pin" style="left:${String(8 + order * 12)}%;top:88%">${html}</div>`;
  if (item.role === 'handle') return `<div class="pin" style="left:8%;top:80%">${html}</div>`;
  if (item.role === 'marker') {
    let hash = 7;
    for (const letter of item.label) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
    return `<div class="pin" style="left:${String(4 + (order % 4) * 23 + (hash % 12))}%;top:${String(8 + Math.floor(order / 4) * 30 + (hash % 17))}%">${html}</div>`;
  }
  return html;
}

/** The whole page as HTML, without scripts, fonts or anything from outside. */
export function pageHtml(page: Page): string {
  const groups = new Map<string, string[]>();
  const orders = new Map<string, number>();
  page.items.forEach((item, key) => {
    const order = orders.get(item.role) ?? 0;
    orders.set(item.role, order + 1);
    const group = item.group ?? 'main';
    const list = groups.get(group) ?? [];
    list.push(pinned(item, itemHtml(item, key), order));
    groups.set(group, list);
  });
  const body = [...groups]
    .filter(([name]) => name !== 'nav')
    .map(([name, list]) => `<section class="${name === 'main' ? 'main' : 'side'}">${list.join('')}</section>`)
    .join('');
  const navigation = (groups.get('nav') ?? []).join('');
  const small = page.width < 400;
  return `<!doctype html><meta charset="utf-8"><title>${escape(page.title)}</title><style>
*{box-sizing:border-box;margin:0}body{font:${small ? '9' : '17'}px "DejaVu Sans","Noto Sans CJK SC","Noto Color Emoji",sans-serif;background:#f4f4f6;color:#222}
header{background:${page.colour};color:#fff;padding:${small ? '3px 6px' : '14px 28px'};display:flex;gap:26px;align-items:center}header b{font-size:1.3em}header a{color:#fff}
.page{display:flex;flex-wrap:wrap;gap:20px;padding:${small ? '4px' : '24px 28px'}}section{background:#fff;border:1px solid #ccc;border-radius:6px;padding:${small ? '3px' : '18px'};position:relative}
.main{flex:1 1 420px;min-height:${small ? '20' : '300'}px}.side{flex:1 1 220px}h2{font-size:1.35em;margin-bottom:.5em}p{margin:.45em 0;line-height:1.4}
a{color:#1a4fa0;display:inline-block;margin:.3em 1em .3em 0}button{font:inherit;background:${page.colour};color:#fff;border:0;border-radius:5px;padding:.5em 1.2em;margin:.4em .7em .4em 0}
.field{display:block;margin:.6em 0}.box{display:block;border:1px solid #888;border-radius:4px;min-height:2em;padding:.35em .6em;max-width:520px;background:#fff}.textarea{min-height:5em}
.toggle,.choice{display:flex;gap:14px;align-items:center;max-width:460px;justify-content:space-between;padding:.45em 0;border-bottom:1px solid #eee}.choice{justify-content:flex-start}
.toggle i{width:48px;height:26px;border-radius:13px;background:#bbb}.toggle i.on{background:#2a8f4a;border-right:22px solid #cfe8d6}.toggle i.off{border-left:22px solid #eee}
.choice i{width:20px;height:20px;border-radius:10px;border:2px solid #555}.choice i.dot{background:${page.colour}}.drop{border:2px dashed #888;padding:2em;margin:.6em 0;text-align:center}
.card{border:1px solid #999;border-left:6px solid ${page.colour};background:#fbfbfd;border-radius:4px;padding:.7em;margin:.5em 0}.zone{background:#e8e8ee;font-weight:bold;padding:.6em;border-radius:4px}
.handle{width:24px;height:24px;border-radius:12px;background:${page.colour}}.tick{border-top:4px solid #777;padding:2px 6px}.pin{position:absolute}
.marker{background:#c33;color:#fff;border-radius:10px;padding:3px 9px}.day{display:inline-block;width:13%;border:1px solid #ddd;padding:.7em;text-align:right}
.map .main{background:#dcebd8;min-height:600px}</style><body class="${page.kind}"><header><b>${escape(page.title)}</b>${navigation}</header><div class="page">${body}</div>`;
}
