import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'main/**/*.test.ts',
            'renderer/**/*.test.ts',
            'electron/**/*.test.ts',
            'demo/**/*.test.ts',
            'tools/**/*.test.ts',
          ],
          testTimeout: 60_000,
        },
      },
      {
        // With the built trainer and the demo: one at a time, since two cores are all that a small machine has.
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 400_000,
          hookTimeout: 900_000,
        },
      },
    ],
  },
});
