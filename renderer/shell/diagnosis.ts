/** What helps whoever is asked for help: versions, connection and address as text. Nothing of rows, prompts or paths but the address. */
import { useConnection } from '../api/connection.ts';
import { useAppInfo } from './app-info.ts';

export function diagnosis(error?: unknown): string {
  const { info } = useAppInfo.getState();
  const connection = useConnection.getState();
  return [
    `Whetstone ${info?.version ?? '(version unknown)'}, ${info ? `${info.carrier} on ${info.host} (${info.platform})` : 'never connected'}`,
    `time ${new Date().toISOString()}`,
    `address ${location.pathname}${location.search}`,
    `connection ${connection.state}, generation ${connection.generation}, attempt ${connection.attempt}${connection.reason === '' ? '' : `: ${connection.reason}`}`,
    ...(connection.lostAt === null ? [] : [`lost at ${new Date(connection.lostAt).toISOString()}`]),
    ...(info?.historyProblem ? [`history ${info.historyProblem.code}: ${info.historyProblem.message}`] : []),
    `browser ${navigator.userAgent}`,
    ...(error === undefined
      ? []
      : ['', error instanceof Error ? (error.stack ?? String(error)) : JSON.stringify(error)]),
  ].join('\n');
}
