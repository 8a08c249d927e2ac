/** What a model's image processor is configured to do: enough to know the patch grid of an image from its size, and what the trainer has to be told. */
import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import { smartResize } from './smart-resize.ts';

export interface ImageSettings {
  /** Pixels. */
  patch: number;
  temporalPatch: number;
  /** Patches a side that become one token. */
  merge: number;
  mean: readonly number[];
  std: readonly number[];
  /** Factor on the 0..255 values before mean and std. */
  rescale: number;
  /** Bounds of the resized picture's area, pixels. */
  minPixels: number;
  maxPixels: number;
}

/** (t, h, w) in patches; t is 1. */
export type Grid = [t: number, h: number, w: number];

const channels = z.array(z.number()).length(3);

export const imageProcessorSchema = z.object({
  patch_size: z.int().positive(),
  temporal_patch_size: z.int().positive(),
  merge_size: z.int().positive(),
  size: z
    .object({ shortest_edge: z.number().positive().nullish(), longest_edge: z.number().positive().nullish() })
    .nullish(),
  min_pixels: z.number().positive().nullish(),
  max_pixels: z.number().positive().nullish(),
  image_mean: channels,
  image_std: channels,
  rescale_factor: z.number().default(0.00392156862745098),
  do_resize: z.boolean().nullish(),
  do_rescale: z.boolean().nullish(),
  do_normalize: z.boolean().nullish(),
  do_convert_rgb: z.boolean().nullish(),
  resample: z.int().nullish(),
});

/** Bicubic, in Pillow's numbers. */
const bicubic = 3;

/** `file` is for messages. Throws AppError for settings that the trainer does not follow. */
export function imageSettings(file: string, config: z.infer<typeof imageProcessorSchema>): ImageSettings {
  const off = (['do_resize', 'do_rescale', 'do_normalize', 'do_convert_rgb'] as const).find(
    (key) => config[key] === false,
  );
  const other = off ?? (config.resample != null && config.resample !== bicubic ? 'resample' : undefined);
  if (other !== undefined) {
    throw new AppError(
      'processor-unsupported',
      `${file}: ${other} ${String(config[other])} is not supported`,
      'Images are resized (bicubic), rescaled and normalised.',
    );
  }
  const minPixels = config.min_pixels ?? config.size?.shortest_edge;
  const maxPixels = config.max_pixels ?? config.size?.longest_edge;
  if (minPixels == null || maxPixels == null) {
    throw new AppError(
      'processor-config',
      `${file} says neither size {shortest_edge, longest_edge} nor min_pixels and max_pixels`,
      'Fetch the file again from where the model was published.',
    );
  }
  return {
    patch: config.patch_size,
    temporalPatch: config.temporal_patch_size,
    merge: config.merge_size,
    mean: config.image_mean,
    std: config.image_std,
    rescale: config.rescale_factor,
    minPixels,
    maxPixels,
  };
}

/** The grid that an image of this size (pixels) is cut into, or null when its sides differ by more than 200 times. */
export function imageGrid(settings: ImageSettings, height: number, width: number): Grid | null {
  const { patch, merge, minPixels, maxPixels } = settings;
  const resized = smartResize(height, width, { factor: patch * merge, minPixels, maxPixels });
  return resized === null ? null : [1, resized[0] / patch, resized[1] / patch];
}

/** How many ids an image of that grid takes. */
export function imageTokenCount(settings: ImageSettings, grid: Grid): number {
  return (grid[0] * grid[1] * grid[2]) / settings.merge ** 2;
}
