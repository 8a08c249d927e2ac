/** The size that Qwen's image processors resize a picture to, in whole units of patch x merge, equal to the Python function in every rounding. */

export interface ResizeLimits {
  /** Patch size times merge size, pixels: both sides become multiples of it. */
  factor: number;
  /** Bounds of the resized picture's area, pixels. */
  minPixels: number;
  maxPixels: number;
}

export const maximumAspect = 200;

/** Height and width in pixels, or null when one side is more than 200 times the other. */
export function smartResize(
  height: number,
  width: number,
  limits: ResizeLimits,
): [height: number, width: number] | null {
  const { factor, minPixels, maxPixels } = limits;
  if (Math.max(height, width) / Math.min(height, width) > maximumAspect) return null;
  const tall = roundHalfEven(height / factor) * factor;
  const wide = roundHalfEven(width / factor) * factor;
  // The order of the divisions and products below is the reference's: another order rounds differently.
  if (tall * wide > maxPixels) {
    const shrink = Math.sqrt((height * width) / maxPixels);
    const fit = (side: number): number => Math.max(factor, Math.floor(side / shrink / factor) * factor);
    return [fit(height), fit(width)];
  }
  if (tall * wide < minPixels) {
    const grow = Math.sqrt(minPixels / (height * width));
    const fit = (side: number): number => Math.ceil((side * grow) / factor) * factor;
    return [fit(height), fit(width)];
  }
  return [tall, wide];
}

/** Python's `round`: 22.5 becomes 22 (a 720-pixel screenshot has 22 rows of tokens, not 23). */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}
