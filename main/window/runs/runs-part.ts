import { AppError } from '../../contract/errors.ts';
import type { Part } from '../part.ts';
import type { PartContext } from '../services.ts';

export function runsPart(_context: PartContext): Part<'runs'> {
  throw new AppError('todo', 'to be written');
}
