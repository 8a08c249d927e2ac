/** `whetstone://runs/ID?x=rows` is the window's address `/runs/ID?x=rows`. Links come from anywhere, so only addresses of our own screens get through. */

export const linkScheme = 'whetstone';

const places = new Set(['runs', 'compare', 'new', 'rows', 'machine', 'states']);

/** The address that a link stands for; undefined where it stands for none of ours. */
export function addressOfLink(link: string): string | undefined {
  const rest = new RegExp(`^${linkScheme}:/{0,3}(.*)$`, 'i').exec(link)?.[1];
  if (rest === undefined || link.length > 4096) return undefined;
  let url: URL;
  try {
    // Resolves `..` and escapes what may not stand in an address. The host is only there to be thrown away.
    url = new URL(`http://window/${rest}`);
  } catch {
    return undefined;
  }
  if (url.host !== 'window') return undefined;
  const address = url.pathname.replace(/\/$/, '');
  if (address.includes('//') || !places.has(address.split('/')[1] ?? '')) return undefined;
  return address + url.search;
}

/** The first link among the arguments of a start. */
export function addressOfArguments(args: readonly string[]): string | undefined {
  const link = args.find((arg) => arg.toLowerCase().startsWith(`${linkScheme}:`));
  return link === undefined ? undefined : addressOfLink(link);
}
