/** Digits, with or without thousands apart: `52000`, `52,000`, `52 000`. */
const WHOLE = /^(?:\d+|\d{1,3}(?:,\d{3})+|\d{1,3}(?:\s\d{3})+)$/;
/** Dollars as people type them: `49.99`, `$1,234.50`. */
const AMOUNT = /^\$?\s*((?:\d*|\d{1,3}(?:,\d{3})+)(?:\.\d*)?)$/;

/**
 * A whole number as people type it; null for anything else. A comma elsewhere than between thousands is a decimal
 * comma or a slip: reading `12,5` as 125 would keep a wrong number. What is larger than any number here stays larger.
 */
export function parseWholeNumber(text: string): number | null {
  const typed = text.trim();
  if (!WHOLE.test(typed)) return null;
  return Math.min(Number(typed.replace(/[\s,]/g, '')), Number.MAX_SAFE_INTEGER);
}

/** The text without blanks around it, or null where nothing is left. */
export function givenText(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}

/**
 * An amount as the server reads it: `$1,234.50` is `1234.50`; null where nothing was typed. What is no amount stays
 * as it was typed, so that it is refused: `12,50` is not 1250 dollars.
 */
export function givenAmount(text: string): string | null {
  const typed = text.trim();
  return givenText(AMOUNT.exec(typed)?.[1]?.replaceAll(',', '') ?? typed);
}
