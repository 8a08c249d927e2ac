/** What to do about a row that cannot be used, by the code of its fault: message and hint together say which row, what is wrong, and what helps. */
const shorten = 'Shorten its messages or its target, or leave the row out.';
const image = 'Put an 8-bit RGB or gray PNG, JPEG or WebP in its place.';
const whole = 'Fetch the file again from where the rows were made.';
const beside = 'Put the image beside rows.jsonl and name it without a path.';
const line = 'Write the line again: one JSON object with task_id, family, messages and target.';
const message = 'A message has a role and a content: text, or a list of text and image_url parts.';
const parts = 'episode.json may hold "parts": a list of the task ids that the episode was made of.';
const readable = 'Make the file readable for you, or leave the episode out.';

const hints: Readonly<Record<string, string>> = {
  'row-json': line,
  'row-shape': line,
  'row-too-long': line,
  'row-utf8': 'Write the file as UTF-8.',
  'row-field': line,
  'row-messages': message,
  'row-target': 'A row needs a target: the text that is to be learnt.',
  'row-surrogate':
    'Half a surrogate pair is no character, and Python refuses it too: write the whole character (as in \\ud83d\\ude00), or take the half out.',
  'row-context': shorten,
  'rows-outside': "Put rows.jsonl itself into the episode's folder; a link to a whole episode is allowed.",
  'rows-unreadable': readable,
  'episode-shape': parts,
  'episode-parts': parts,
  'image-missing': beside,
  'image-outside': beside,
  'image-not-file': beside,
  'image-unreadable': readable,
  'image-format': image,
  'image-colour': image,
  'image-broken': whole,
  'image-truncated': whole,
  'image-aspect': 'Cut the image, or leave the row out: the image processor refuses it in Python too.',
  'image-placeholders':
    'Every image needs one placeholder, which the chat template writes: take those out of the text and the target, and use a template that shows every image.',
  'image-adjacent': 'Take the processor and chat template that were published with the model.',
  'foreign-placeholder': 'Take the placeholder out of the text: only images can be given.',
  'chat-template': "Bring the messages into the form that the model's chat template takes.",
};

/** One sentence or two; undefined for a code that no row has. */
export const hintFor = (code: string): string | undefined => hints[code];
