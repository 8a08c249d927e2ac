/** A part of the services: the handlers whose names begin alike. */
import type { RequestName } from '../contract/window/names.ts';
import type { Handlers } from '../contract/window/requests.ts';

export interface Part<Prefix extends string> {
  handlers: Pick<Handlers, Extract<RequestName, `${Prefix}.${string}`>>;
  close?: () => Promise<void> | void;
}
