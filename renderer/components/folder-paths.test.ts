import { expect, it } from 'vitest';
import { crumbsOf, joinFolder } from './folder-paths.ts';

it('takes a path apart and puts it together', () => {
  expect(crumbsOf('/data/rows v5/')).toEqual([
    { name: '/', folder: '/' },
    { name: 'data', folder: '/data' },
    { name: 'rows v5', folder: '/data/rows v5' },
  ]);
  expect(crumbsOf('/')).toEqual([{ name: '/', folder: '/' }]);
  expect([joinFolder('/', 'data'), joinFolder('/data', 'rows')]).toEqual(['/data', '/data/rows']);
});
