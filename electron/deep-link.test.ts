import { describe, expect, it } from 'vitest';
import { addressOfArguments, addressOfLink } from './deep-link.ts';

describe('a whetstone:// link', () => {
  it.each([
    ['whetstone://runs', '/runs'],
    ['whetstone://runs/', '/runs'],
    ['whetstone:///runs/20261130T1412-ab12?x=rows', '/runs/20261130T1412-ab12?x=rows'],
    ['WHETSTONE://compare?runs=A,B&ref=A', '/compare?runs=A,B&ref=A'],
    ['whetstone://rows/ab12cd34/ep-lodge-0417/6?token=53', '/rows/ab12cd34/ep-lodge-0417/6?token=53'],
  ])('%s is %s', (link, address) => expect(addressOfLink(link)).toBe(address));

  it.each([
    'https://example.com/runs',
    'whetstone://',
    'whetstone://elsewhere/x',
    'whetstone:////evil.example/runs',
    'whetstone://runs//evil.example',
    'whetstone://runs/../../etc/passwd',
    `whetstone://runs/${'x'.repeat(5000)}`,
  ])('%s is none of ours', (link) => expect(addressOfLink(link)).toBeUndefined());

  it('is found among the arguments of a start', () => {
    expect(addressOfArguments(['/opt/whetstone', '--flag', 'whetstone://machine'])).toBe('/machine');
    expect(addressOfArguments(['/opt/whetstone', '.'])).toBeUndefined();
  });
});
