import { describe, expect, it } from 'vitest';
import { formatBytes, formatEstimate, formatPercent, formatScanTime } from '@/lib/format';
import { retailerSearchHref, webAddress } from '@/lib/links';

it.each([
  [0.941, '94%'],
  [0.999, '99%'],
  [1, '100%'],
  [0.0096, '<1%'],
  [0, '0%'],
])('writes %f as %s, and 0%% or 100%% only for certainty', (share, text) => {
  expect(formatPercent(share)).toBe(text);
});

it.each([
  [26_214_400, '25 MB'],
  [1_600_000, '1.5 MB'],
  [100_000, '97 KB'],
])('writes %i bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it('writes an estimate in whole dollars', () => {
  expect(formatEstimate(94)).toBe('$94');
});

it.each([null, undefined, '', 'yesterday'])('calls the time %s recent', (time) => {
  expect(formatScanTime(time)).toBe('Recently');
});

describe('webAddress', () => {
  it.each(['javascript:alert(1)', 'data:text/html,x', 'shop', '', null])(
    'refuses %s',
    (address) => {
      expect(webAddress(address)).toBeNull();
    },
  );
  it('takes a web address', () => {
    expect(webAddress('https://shop.example/a b')).toBe('https://shop.example/a%20b');
  });
});

it('limits a web search to the site of a retailer whose own search takes no words', () => {
  expect(retailerSearchHref('RockAuto', 'rotor')).toBe(
    'https://duckduckgo.com/?q=rotor%20site%3Arockauto.com',
  );
});
