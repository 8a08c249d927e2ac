import { AppError } from '../../contract/errors.ts';
import type { Part } from '../part.ts';
import type { PartContext } from '../services.ts';

export function rowsPart(_context: PartContext): Part<'rows'> {
  throw new AppError('todo', 'to be written');
}
