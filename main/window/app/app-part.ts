import { AppError } from '../../contract/errors.ts';
import type { Part } from '../part.ts';
import type { PartContext } from '../services.ts';

export function appPart(_context: PartContext): Part<'app' | 'machine' | 'folders' | 'job'> {
  throw new AppError('todo', 'to be written');
}
