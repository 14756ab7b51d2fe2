/** Rows as a table in CSV (RFC 4180). What a spreadsheet would take for a formula gets an apostrophe. */
export function csvText(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

/** Also with fullwidth signs, and behind invisible characters, which some spreadsheets drop. */
const FORMULA = /^\p{Default_Ignorable_Code_Point}*[=+\-@\t\r＝＋－＠]/u;

function field(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
