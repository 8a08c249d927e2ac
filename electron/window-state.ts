/** Where the window was, kept in a small file from one start to the next. A file that cannot be read or written costs its place and nothing else. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomic } from '../main/io/atomic-file.ts';

/** In screen coordinates, of the window when it is not maximised. */
export interface Bounds {
  x: number;
  y: number;
  width: number;
  height: number;
}

const stateSchema = z.object({
  /** Neither or both. */
  x: z.int().exactOptional(),
  y: z.int().exactOptional(),
  width: z.int().min(200).max(20_000),
  height: z.int().min(200).max(20_000),
  maximized: z.boolean(),
});
export type WindowState = z.infer<typeof stateSchema>;

export const defaultState: WindowState = { width: 1440, height: 900, maximized: false };

/** How many pixels of the title bar have to be on a screen, so that the window can be taken hold of. */
const grip = 80;

/** What `file` says, without the place when that is on no screen any more. `workAreas` are the screens' areas without their panels. */
export function readWindowState(file: string, workAreas: readonly Bounds[]): WindowState {
  let state: WindowState;
  try {
    state = stateSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return defaultState;
  }
  const { x, y, ...size } = state;
  if (x === undefined || y === undefined) return size;
  const reachable = workAreas.some(
    (area) =>
      x + state.width >= area.x + grip &&
      x <= area.x + area.width - grip &&
      y >= area.y &&
      y <= area.y + area.height - grip,
  );
  return reachable ? state : size;
}

export function writeWindowState(file: string, state: WindowState): void {
  try {
    writeFileAtomic(file, JSON.stringify(state));
  } catch (error) {
    console.error(`the window's place was not kept: ${error instanceof Error ? error.message : String(error)}`);
  }
}
