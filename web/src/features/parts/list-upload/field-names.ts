/** What the form calls which column holds what. */
export const COLUMNS = 'Columns';
/** What the form calls the sign between columns. */
export const DELIMITER = 'Columns are separated by';

/** Why a list was refused, with the fields as the form calls them: the server names them as programs do. */
export function inWordsOfForm(refusal: string): string {
  return (
    refusal
      .replace('(`mapping`)', `under "${COLUMNS}"`)
      .replace('(`delimiter`)', `under "${DELIMITER}"`)
      // What a column can hold is said in words before its names.
      .replaceAll(/ \(`\w+`(?:, `\w+`)*\)/g, '')
  );
}
