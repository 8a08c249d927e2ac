/** A token's text with signs for what cannot be seen. */

export interface TokenPiece {
  text: string;
  /** Stands for a space, a line break, or nothing. */
  isSign: boolean;
}

const signs: Readonly<Record<string, string>> = { ' ': '·', '\n': '⏎', '\t': '⇥', '\r': '␍', '\u00a0': '⍽' };

/** '' is a token whose character stands at an earlier one. */
export function tokenPieces(text: string): TokenPiece[] {
  if (text === '') return [{ text: '‥', isSign: true }];
  return text.split(/([ \n\t\r\u00a0]+)/).flatMap((part): TokenPiece[] => {
    if (part === '') return [];
    const isSign = /^[ \n\t\r\u00a0]/.test(part);
    return [{ text: isSign ? Array.from(part, (each) => signs[each] ?? each).join('') : part, isSign }];
  });
}
