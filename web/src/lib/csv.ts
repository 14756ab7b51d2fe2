/**
 * Rows as a CSV file (RFC 4180), as the server writes them: with a byte order mark, without which a spreadsheet garbles
 * names, and with an apostrophe before what a spreadsheet would take for a formula.
 */
export function csvText(rows: readonly (readonly (string | number)[])[]): string {
  return `\uFEFF${rows.map((row) => `${row.map(field).join(',')}\r\n`).join('')}`;
}

/** Also with fullwidth signs, and behind apostrophes and invisible characters, which some spreadsheets drop. */
const FORMULA = /^['\p{Default_Ignorable_Code_Point}]*([=+\-@\t\r＝＋－＠].*)/su;

function field(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = guarded(value);
  // Also for spreadsheets that separate cells by semicolons or tabs, and where blanks would be trimmed.
  const isQuoted = /[",;\t\r\n]/.test(text) || text.trim() !== text;
  return isQuoted ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A formula can also follow a semicolon, a tab or a line break: where semicolons separate cells, quotation marks around a
 * cell with commas have no meaning.
 */
function guarded(text: string): string {
  const pieces = text.split(/(?<=[;\t\r\n])/);
  return pieces.map((piece) => (isFormula(piece) ? `'${piece}` : piece)).join('');
}

/** A lone minus computes nothing. */
function isFormula(text: string): boolean {
  const formula = FORMULA.exec(text)?.[1];
  return formula !== undefined && formula !== '-';
}
