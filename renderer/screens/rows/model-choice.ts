/** The model that rows are shown with: in the address, and remembered, since one looks at many rows with one model. */
const key = 'whetstone.rows.model';

export function rememberedModel(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function rememberModel(model: string): void {
  try {
    localStorage.setItem(key, model);
  } catch {
    // A browser that keeps nothing: it is chosen again next time.
  }
}
