/** Narrows the list: words, family, variant, operation. Every change is in the address at once. */
import type { Ref } from 'react';
import type { OpenPool, RowFilter } from '../../../main/contract/window/rows.ts';
import { Button } from '../../components/button.tsx';
import { Kbd } from '../../components/kbd.tsx';
import { Select } from '../../components/select.tsx';
import { TextInput } from '../../components/text-input.tsx';
import { formatCount } from '../../format/numbers.ts';
import { setQuery } from '../../navigation/address.ts';
import { filterQuery, isFiltered } from './filter-address.ts';

interface FilterBarProps {
  pool: OpenPool;
  filter: RowFilter;
  searchRef: Ref<HTMLInputElement>;
}

type Facet = 'families' | 'variants' | 'operations';

export function FilterBar({ pool, filter, searchRef }: FilterBarProps) {
  const change = (part: Partial<RowFilter>): void =>
    setQuery({ ...filterQuery({ ...filter, ...part }), at: undefined });
  const facet = (name: Facet, label: string, all: string, width: number) => {
    const chosen = filter[name];
    const options = pool[name].map(({ name: value, rows }) => ({
      value: `=${value}`,
      label: `${value === '' ? 'without one' : value} (${formatCount(rows)})`,
    }));
    // A link may hold several at once, which this list cannot choose: it is shown as what it is.
    const several = chosen.length > 1 ? [{ value: 'several', label: `${formatCount(chosen.length)} of them` }] : [];
    // Or one that this pool does not have.
    const [only] = chosen;
    const foreign =
      chosen.length === 1 && !pool[name].some(({ name: value }) => value === only)
        ? [{ value: `=${only ?? ''}`, label: `${only ?? ''} (0)` }]
        : [];
    return (
      <Select
        label={label}
        value={chosen.length === 0 ? '' : chosen.length === 1 ? `=${only ?? ''}` : 'several'}
        options={[{ value: '', label: all }, ...several, ...foreign, ...options]}
        onChange={(value) => {
          if (value !== 'several') change({ [name]: value === '' ? [] : [value.slice(1)] });
        }}
        state={chosen.length > 0 ? 'changed' : 'plain'}
        width={width}
      />
    );
  };
  return (
    <>
      <TextInput
        ref={searchRef}
        type="search"
        label="Filter by episode, task id or operation"
        placeholder="Episode, task id or operation"
        value={filter.text}
        onChange={(text) => change({ text: text.slice(0, 400) })}
        width={250}
        suffix={<Kbd keys="/" />}
      />
      {facet('families', 'Family', 'All families', 180)}
      {facet('variants', 'Variant', 'All variants', 140)}
      {facet('operations', 'Operation', 'All operations', 170)}
      {isFiltered(filter) && (
        <Button
          kind="text"
          onPress={() => change({ text: '', families: [], variants: [], operations: [], episode: null })}
        >
          No filter
        </Button>
      )}
    </>
  );
}
