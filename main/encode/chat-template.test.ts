import { expect, test } from 'vitest';
import { RowFault } from '../datasets/row-fault.ts';
import { ChatTemplate, pythonLstrip, pythonRstrip } from './chat-template.ts';

const render = (source: string, text = ''): string =>
  new ChatTemplate(source, { eos_token: '<end>' }).render([{ role: 'user', content: [{ type: 'text', text }] }]);

test('strips are Python’s', () => {
  const show = (expression: string, text: string) =>
    render(`{{ '[' + ${expression} + ']' }}`.replaceAll('T', 'messages[0].content[0].text'), text);
  expect(show('T|trim', '\u0085\x1c \u3000a\ufeff ')).toBe('[a\ufeff]');
  expect(show("T.lstrip('\\n')", '\n\n  a')).toBe('[  a]');
  expect(show("T.rstrip('\\n')", 'a \n\n')).toBe('[a ]');
  expect(show("T.strip('ab')", 'abcba')).toBe('[c]');
  expect(show('T.strip()', ' a ')).toBe('[a]');
  expect([
    pythonLstrip('😀a', '😀'),
    pythonRstrip('a😀', '😀'),
    pythonRstrip('a😀', '\ude00'),
    pythonRstrip('', 'x'),
  ]).toEqual(['a', 'a', 'a😀', '']);
});

test('None and booleans print as in Python', () => {
  expect(render('{{ none|string }} {{ true|string }} {{ (1 == 2)|string }}')).toBe('None True False');
});

test('variables: special tokens, generation prompt, thinking off', () => {
  expect(
    render(
      "{{ eos_token }} {{ 'yes' if add_generation_prompt }} {{ 'off' if enable_thinking is false }} {{ 'none' if tools is none }}",
    ),
  ).toBe('<end> yes off none');
});

test('what a template objects to is passed on', () => {
  expect(() => render("{{ raise_exception('No user query.') }}")).toThrow(RowFault);
  expect(() => render("{{ raise_exception('No user query.') }}")).toThrow(/No user query\./);
  expect(() => new ChatTemplate('{% if %}', {})).toThrow();
});
