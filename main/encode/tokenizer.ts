/**
 * Builds the tokenizer as the Python class of the architecture does: vocabulary, merges and post-processor from tokenizer.json; normaliser, word splitting and
 * decoder from the class; added tokens from tokenizer_config.json where it lists them. Loading tokenizer.json as it is gives other ids: some published
 * files carry another splitting pattern or lack tokens that only the configuration has.
 */
import { Tokenizer } from 'tokenizers';
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import type { ProcessorArchitecture } from './processors/architecture.ts';

const addedTokenSchema = z.object({
  content: z.string().min(1),
  single_word: z.boolean().default(false),
  lstrip: z.boolean().default(false),
  rstrip: z.boolean().default(false),
  normalized: z.boolean().optional(),
  special: z.boolean().default(false),
});

export const tokenizerJsonSchema = z.object({
  added_tokens: z.array(addedTokenSchema.extend({ id: z.int().nonnegative() })).default([]),
  post_processor: z.unknown(),
  model: z.object({
    type: z.literal('BPE').default('BPE'),
    vocab: z.record(z.string(), z.int().nonnegative()),
    merges: z.array(z.union([z.string(), z.array(z.string()).length(2)])),
  }),
});

export const tokenizerConfigSchema = z.looseObject({
  added_tokens_decoder: z.record(z.string().regex(/^\d+$/), addedTokenSchema).optional(),
  add_prefix_space: z.boolean().nullish(),
  add_bos_token: z.boolean().nullish(),
  add_eos_token: z.boolean().nullish(),
  split_special_tokens: z.boolean().nullish(),
  additional_special_tokens: z.array(z.unknown()).nullish(),
  extra_special_tokens: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).nullish(),
});

export type TokenizerJson = z.infer<typeof tokenizerJsonSchema>;
export type TokenizerConfig = z.infer<typeof tokenizerConfigSchema>;

type AddedToken = TokenizerJson['added_tokens'][number];

export interface BuiltTokenizer {
  tokenizer: Tokenizer;
  /** One more than the highest id. */
  idEnd: number;
  /** eos_token and the like, by the names that templates know them by. */
  specialTokens: Record<string, string>;
}

/** `folder` is for messages only. Throws AppError for what the Python class would do and we do not. */
export function buildTokenizer(
  folder: string,
  json: TokenizerJson,
  config: TokenizerConfig,
  architecture: ProcessorArchitecture,
): BuiltTokenizer {
  refuseUnsupported(folder, json, config);
  const { vocab, merges } = json.model;
  const specialTokens = namedTokens(config, architecture);
  const added = addedTokens(json, config, [...Object.values(specialTokens), ...extraTokens(config)]);
  const definition = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added.map(({ normalized, ...token }) => ({ ...token, normalized: normalized ?? !token.special })),
    normalizer: { type: 'NFC' },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: architecture.splitPattern }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: config.add_prefix_space ?? false, trim_offsets: true, use_regex: false },
      ],
    },
    post_processor: json.post_processor ?? null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab,
      merges,
    },
  };
  const tokenizer = load(folder, definition);
  for (const { content, id } of added) {
    const real = tokenizer.tokenToId(content);
    if (real === id) continue;
    throw new AppError(
      'tokenizer-ids',
      `the tokenizer in ${folder} gives ${JSON.stringify(content)} the id ${String(real)}, its configuration says ${id}`,
      'tokenizer.json and tokenizer_config.json do not belong together: take both from the same model.',
    );
  }
  let idEnd = 0;
  for (const id of Object.values(vocab)) if (id >= idEnd) idEnd = id + 1;
  for (const { id } of added) idEnd = Math.max(idEnd, id + 1);
  return { tokenizer, idEnd, specialTokens };
}

function load(folder: string, definition: unknown): Tokenizer {
  try {
    return Tokenizer.fromString(JSON.stringify(definition));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError(
      'tokenizer-broken',
      `the tokenizer in ${folder} cannot be built: ${why}`,
      'Fetch tokenizer.json again.',
      { cause: error },
    );
  }
}

function refuseUnsupported(folder: string, json: TokenizerJson, config: TokenizerConfig): void {
  const processor = z
    .object({ type: z.string(), special_tokens: z.record(z.string(), z.unknown()).default({}) })
    .safeParse(json.post_processor).data;
  const type = processor?.type;
  const isEmptyTemplate = type === 'TemplateProcessing' && Object.keys(processor?.special_tokens ?? {}).length === 0;
  const addsTokens = type !== undefined && type !== 'ByteLevel' && !isEmptyTemplate;
  const wrong = [
    addsTokens ? `a post-processor of the type ${type}` : '',
    config.add_bos_token === true ? 'add_bos_token' : '',
    config.add_eos_token === true ? 'add_eos_token' : '',
    config.split_special_tokens === true ? 'split_special_tokens' : '',
  ].filter((name) => name !== '');
  if (wrong.length === 0) return;
  throw new AppError(
    'tokenizer-unsupported',
    `the tokenizer in ${folder} has ${wrong.join(' and ')}, which is not supported for this architecture`,
    'Take the tokenizer files as they were published with the model.',
  );
}

function contentOf(token: unknown): string | undefined {
  if (typeof token === 'string') return token;
  return z.object({ content: z.string() }).safeParse(token).data?.content;
}

/** All keys of the form `..._token` that name a token; a null takes a default away. */
function namedTokens(config: TokenizerConfig, architecture: ProcessorArchitecture): Record<string, string> {
  const named: Record<string, string> = { ...architecture.defaultSpecialTokens };
  for (const [key, value] of Object.entries(config)) {
    if (!key.endsWith('_token')) continue;
    const content = contentOf(value);
    if (content !== undefined) named[key] = content;
    else if (value === null) Reflect.deleteProperty(named, key);
  }
  return named;
}

function extraTokens(config: TokenizerConfig): string[] {
  const extra = config.extra_special_tokens ?? [];
  const all = [...(config.additional_special_tokens ?? []), ...(Array.isArray(extra) ? extra : Object.values(extra))];
  return all.map(contentOf).filter((content) => content !== undefined);
}

/** The configuration's list if it has one, else tokenizer.json's; then special tokens that are in neither, with the next free ids. */
function addedTokens(json: TokenizerJson, config: TokenizerConfig, special: readonly string[]): AddedToken[] {
  const listed = config.added_tokens_decoder;
  const tokens: AddedToken[] = (
    listed === undefined
      ? [...json.added_tokens]
      : Object.entries(listed).map(([id, token]) => ({ ...token, id: Number(id) }))
  ).sort((a, b) => a.id - b.id);
  const known = new Map(tokens.map(({ content, id }) => [content, id]));
  for (const content of special) {
    if (known.has(content)) continue;
    const id = json.model.vocab[content] ?? new Set([...Object.values(json.model.vocab), ...known.values()]).size;
    known.set(content, id);
    tokens.push({ content, id, single_word: false, lstrip: false, rstrip: false, special: true });
  }
  return tokens;
}
