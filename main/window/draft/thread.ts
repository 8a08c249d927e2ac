/** Entry of the thread that prepares drafts. */
import { serveCalls } from '../../threads/calls.ts';
import { draftFunctions } from './draft-functions.ts';

serveCalls(draftFunctions);
