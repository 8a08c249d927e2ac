/**
 * Renders a model's chat template as Python's Jinja does. `@huggingface/jinja` differs in three things that change prompts: strip methods ignore their
 * argument, white space is JavaScript's instead of Python's, and None, True and False print the wrong way. They are put right here on its own classes;
 * should a new version of the package look different inside, this file throws when it is loaded rather than encode prompts that are slightly off.
 */
import { Environment, Interpreter, Template } from '@huggingface/jinja';
import type { ChatMessage } from '../datasets/row.ts';
import { pythonWhitespace } from '../text/code-points.ts';
import { RowFault } from '../datasets/row-fault.ts';

interface RuntimeValue {
  type: string;
  value: unknown;
}
type StringMethod = new (call: (parameters: readonly RuntimeValue[]) => RuntimeValue) => RuntimeValue;
interface StringRuntimeValue extends RuntimeValue {
  value: string;
  builtins: Map<string, RuntimeValue>;
}
interface FilterNode {
  type: string;
  value?: string;
}
type ApplyFilter = (this: unknown, operand: RuntimeValue, filter: FilterNode, environment: unknown) => RuntimeValue;

const leftSpace = new RegExp(`^[${pythonWhitespace}]+`);
const oneSpace = new RegExp(`[${pythonWhitespace}]`);

/** Python's str.lstrip: `characters` is a set; undefined means white space. */
export function pythonLstrip(text: string, characters?: string): string {
  if (characters === undefined) return text.replace(leftSpace, '');
  const set = new Set(characters);
  let at = 0;
  for (const character of text) {
    if (!set.has(character)) break;
    at += character.length;
  }
  return text.slice(at);
}

/** Python's str.rstrip. A loop, since /[..]+$/ takes quadratic time on long runs of white space. */
export function pythonRstrip(text: string, characters?: string): string {
  const set = characters === undefined ? null : new Set(characters);
  let end = text.length;
  while (end > 0) {
    const isPair =
      end > 1 && (text.charCodeAt(end - 1) & 0xfc00) === 0xdc00 && (text.charCodeAt(end - 2) & 0xfc00) === 0xd800;
    const last = text.slice(end - (isPair ? 2 : 1), end);
    if (!(set === null ? oneSpace.test(last) : set.has(last))) break;
    end -= last.length;
  }
  return text.slice(0, end);
}

function internalsChanged(what: string): never {
  throw new Error(
    `@huggingface/jinja has changed inside (${what}): main/encode/chat-template.ts has to be fitted to it`,
  );
}

function adaptToPython(): void {
  const Scope = Environment as unknown as new () => { set: (name: string, value: string) => StringRuntimeValue };
  const sample = new Scope().set('sample', 'text');
  const StringValue = sample.constructor as new (text: string) => StringRuntimeValue;
  const descriptor = Object.getOwnPropertyDescriptor(StringValue.prototype, 'builtins');
  if (descriptor?.get === undefined || sample.type !== 'StringValue') internalsChanged('string values');
  const methodsOf = (text: StringRuntimeValue): Map<string, RuntimeValue> =>
    (descriptor.get?.call(text) ?? internalsChanged('string values')) as Map<string, RuntimeValue>;
  const method = methodsOf(sample).get('strip') ?? internalsChanged('string methods');
  const Method = method.constructor as StringMethod;
  const strips: Record<string, (text: string, characters?: string) => string> = {
    strip: (text, characters) => pythonRstrip(pythonLstrip(text, characters), characters),
    lstrip: pythonLstrip,
    rstrip: pythonRstrip,
  };
  const adapted = new WeakSet<Map<string, RuntimeValue>>();
  Object.defineProperty(StringValue.prototype, 'builtins', {
    configurable: true,
    get(this: StringRuntimeValue) {
      const methods = methodsOf(this);
      if (adapted.has(methods)) return methods;
      adapted.add(methods);
      const text = this.value;
      for (const [name, strip] of Object.entries(strips)) {
        const call = ([characters]: readonly RuntimeValue[]): RuntimeValue =>
          new StringValue(characters?.type === 'StringValue' ? strip(text, characters.value as string) : strip(text));
        methods.set(name, new Method(call));
      }
      return methods;
    },
  });

  const { prototype } = Interpreter as unknown as { prototype: { applyFilter?: ApplyFilter } };
  const original = prototype.applyFilter ?? internalsChanged('filters');
  prototype.applyFilter = function (operand, filter, environment) {
    const name = filter.type === 'Identifier' ? filter.value : undefined;
    if (name === 'trim' && operand.type === 'StringValue')
      return new StringValue(pythonRstrip(pythonLstrip(operand.value as string)));
    if (name === 'string' && operand.type === 'NullValue') return new StringValue('None');
    if (name === 'string' && operand.type === 'BooleanValue')
      return new StringValue(operand.value === true ? 'True' : 'False');
    return original.call(this, operand, filter, environment);
  };
}

adaptToPython();

export class ChatTemplate {
  readonly #template: Template;
  readonly #variables: Readonly<Record<string, string>>;

  /** `specialTokens`: what the tokenizer's configuration names, such as eos_token. Throws when the template cannot be parsed. */
  constructor(source: string, specialTokens: Readonly<Record<string, string>>) {
    this.#template = new Template(source);
    this.#variables = specialTokens;
  }

  /** The prompt of an answer: with the generation prompt, thinking off. Throws RowFault with what the template objects to. */
  render(messages: readonly ChatMessage[]): string {
    try {
      return this.#template.render({
        ...this.#variables,
        messages,
        tools: null,
        documents: null,
        add_generation_prompt: true,
        enable_thinking: false,
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RowFault('chat-template', `the chat template refuses its messages: ${reason}`);
    }
  }
}
