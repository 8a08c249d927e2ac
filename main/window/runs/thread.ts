/** Entry of the thread that reads plans. */
import { serveCalls } from '../../threads/calls.ts';
import { planFunctions } from './plan-functions.ts';

serveCalls(planFunctions);
