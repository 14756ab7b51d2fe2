import { expect, test } from 'vitest';
import { isAddress, searchText, seenCode } from '@/features/scanning/codes/code';

test.each([
  ['4006381333931', 'ean_13', { text: '4006381333931', symbology: 'EAN-13' }],
  ['SP96051', 'Code39', { text: 'SP96051', symbology: 'Code 39' }],
  [
    '0109506000134352\u001d10A',
    'DataMatrix',
    { text: '0109506000134352 10A', symbology: 'Data Matrix' },
  ],
  ['x'.repeat(900), 'QRCode', { text: 'x'.repeat(200), symbology: 'QR Code' }],
  ['\u001d', 'QRCode', null],
])('%j as %s', (text, format, expected) => {
  expect(seenCode(text, format)).toEqual(expected);
});

test.each([
  ['https://parts.example/1', true],
  ['WIFI:S:shop;;', true],
  ['www.parts.example', true],
  ['SP96051', false],
  ['10:20:30', false],
])('%s leads to an address: %s', (text, expected) => {
  expect(isAddress({ text, symbology: 'QR Code' })).toBe(expected);
});

test.each([
  ['010400638133393110LOT7 21X9', 'Data Matrix', '04006381333931'],
  ['0104006381333931', 'Code 128', '04006381333931'],
  // No check digit, so that it is a number of another kind.
  ['0104006381333932', 'Code 128', '0104006381333932'],
  ['4006381333931', 'EAN-13', '4006381333931'],
  ['SP96051', 'Code 39', 'SP96051'],
])('%s as %s is looked for as %s', (text, symbology, expected) => {
  expect(searchText({ text, symbology })).toBe(expected);
});
