/** Variants of a replayed episode, as the task id tells them: a recovery replays a mistake and its repair, a chain strings several episodes together. */

export const variantNames = ['recovery', 'chain', 'plain'] as const;
export type Variant = (typeof variantNames)[number];

export function variantOf(taskId: string): Variant {
  if (taskId.endsWith('~rec')) return 'recovery';
  return taskId.startsWith('chain-') ? 'chain' : 'plain';
}
