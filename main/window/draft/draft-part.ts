import { AppError } from '../../contract/errors.ts';
import type { Part } from '../part.ts';
import type { PartContext } from '../services.ts';

export function draftPart(_context: PartContext): Part<'draft'> {
  throw new AppError('todo', 'to be written');
}
