/** What "find or do" offers: actions of what is on the screen, places, themes, runs by name. */
import type { RunRow } from '../../main/contract/window/runs.ts';
import { stateWord } from '../components/state-mark.tsx';
import { formatMoment } from '../format/times.ts';
import { formatAddress, go } from '../navigation/address.ts';
import type { KeyLayer } from '../navigation/keys.ts';
import { places } from '../navigation/screens.ts';
import type { PaletteItem } from './find-items.ts';
import { setTheme, themes } from './theme.ts';

export function paletteItems(layers: readonly KeyLayer[], runs: readonly RunRow[]): PaletteItem[] {
  const actions = layers.toReversed().flatMap((layer) =>
    layer.bindings
      .filter((binding) => !binding.disabled && binding.keys !== 'Ctrl+K' && binding.keys !== 'G')
      .map((binding) => ({
        id: `${layer.id} ${binding.keys}`,
        group: layer.title,
        text: binding.label.charAt(0).toUpperCase() + binding.label.slice(1),
        note: '',
        keys: binding.keys,
        run: binding.run,
      })),
  );
  return [
    ...actions,
    ...places.map(({ title, address, key }) => ({
      id: address,
      group: 'Places',
      text: title,
      note: `G then ${key}`,
      keys: null,
      run: () => go(address),
    })),
    ...runs.map((run) => ({
      id: `run ${run.id}`,
      group: 'Runs',
      text: run.name,
      note: `${stateWord(run.state)}, ${formatMoment(run.created)}, ${run.id}`,
      keys: null,
      run: () => go(formatAddress(['runs', run.id])),
    })),
    ...themes.map((theme) => ({
      id: `theme ${theme}`,
      group: 'Theme',
      text: `Theme: ${theme === 'system' ? 'as the system' : theme}`,
      note: '',
      keys: null,
      run: () => setTheme(theme),
    })),
  ];
}
