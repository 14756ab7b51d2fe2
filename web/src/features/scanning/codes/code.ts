/** A barcode or matrix code in the viewfinder. */
export type SeenCode = {
  text: string;
  /** How it is drawn, for people. */
  symbology: string;
};

/** The kinds that are looked for: as the browser's detector names them, as the decoder of ours does, and for people. */
export const SYMBOLOGIES = [
  ['ean_13', 'EAN13', 'EAN-13'],
  ['ean_8', 'EAN8', 'EAN-8'],
  ['upc_a', 'UPCA', 'UPC-A'],
  ['upc_e', 'UPCE', 'UPC-E'],
  ['code_39', 'Code39', 'Code 39'],
  ['code_128', 'Code128', 'Code 128'],
  ['itf', 'ITF', 'ITF'],
  ['qr_code', 'QRCode', 'QR Code'],
  ['data_matrix', 'DataMatrix', 'Data Matrix'],
] as const;

/** How a kind is called for people, by its name in the API, such as `ean-13`; empty for one that is not known here. */
export function symbologyName(ofApi: string): string {
  return SYMBOLOGIES.find(([browser]) => browser.replace('_', '-') === ofApi)?.[2] ?? '';
}

/** Characters of a code that are shown; a QR code may hold a page. */
const SHOWN_MAX = 200;

/** A code with a text that can be shown on one line; null for one without. */
export function seenCode(text: string, format: string): SeenCode | null {
  // Between GS1 fields stand characters that cannot be seen.
  const shown = text
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, SHOWN_MAX);
  const known = SYMBOLOGIES.find(([browser, ours]) => format === browser || format === ours);
  return shown === '' ? null : { text: shown, symbology: known?.[2] ?? format };
}

/** Whether a code leads to an address. It is shown, and never opened. */
export function isAddress({ text }: SeenCode): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/|^(www|mailto|tel|wifi)[.:]/i.test(text);
}

/** A GS1 code whose first field is the number of the article, as it is on most boxes; other fields follow it. */
const GTIN_FIRST = /^01(\d{14})/;

/** What to look for: the number of the article where a GS1 code holds it with other fields, else the text. */
export function searchText({ text, symbology }: SeenCode): string {
  const gtin = GTIN_FIRST.exec(text)?.[1];
  const holdsFields = ['Data Matrix', 'Code 128', 'QR Code'].includes(symbology);
  return holdsFields && gtin !== undefined && hasCheckDigit(gtin) ? gtin : text;
}

/** GS1 General Specifications, section 7.9.1: from the right, each second digit counts three times. */
function hasCheckDigit(gtin: string): boolean {
  const weighed = Array.from(gtin, (digit, at) => Number(digit) * (at % 2 === 0 ? 3 : 1));
  return weighed.reduce((sum, one) => sum + one) % 10 === 0;
}
