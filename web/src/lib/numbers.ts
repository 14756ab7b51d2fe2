/** A whole number as people type it, with or without separators: `52,000`; null for anything else. */
export function parseWholeNumber(text: string): number | null {
  const digits = text.replace(/[\s,]/g, '');
  return /^\d{1,12}$/.test(digits) ? Number(digits) : null;
}

/** The text without blanks around it, or null where nothing is left. */
export function givenText(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}

/** An amount as the server reads it: `$1,234.50` is `1234.50`; null where nothing was typed. */
export function givenAmount(text: string): string | null {
  return givenText(text.replace(/[$,\s]/g, ''));
}
