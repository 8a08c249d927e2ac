/** Entry of the rows thread. */
import { serveCalls } from '../../threads/calls.ts';
import { rowsFunctions } from './functions.ts';

serveCalls(rowsFunctions());
