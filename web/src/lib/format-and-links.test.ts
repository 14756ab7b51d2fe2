import { afterEach, describe, expect, it, vi } from 'vitest';
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
  [1023, '1,023 bytes'],
  [1, '1 byte'],
  [0, '0 bytes'],
])('writes %i bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it('writes an estimate in whole dollars', () => {
  expect(formatEstimate(94)).toBe('$94');
});

it.each([null, undefined, '', 'yesterday'])('calls the time %s recent', (time) => {
  expect(formatScanTime(time)).toBe('Recently');
});

it('writes the time of a scan with its year', () => {
  expect(formatScanTime('2024-11-21T09:30:00')).toBe('Nov 21, 2024, 9:30 AM');
});

describe('a day without a time', () => {
  const zone = process.env.TZ;
  afterEach(() => {
    process.env.TZ = zone;
  });
  it.each(['America/Los_Angeles', 'America/New_York', 'UTC', 'Pacific/Auckland'])(
    'is that day in %s',
    async (timeZone) => {
      process.env.TZ = timeZone;
      // The formats take the time zone in which they are made.
      vi.resetModules();
      const { formatDate } = await import('@/lib/format');
      const { formatDay } = await import('@/lib/dates');
      expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(timeZone);
      expect(formatDate('2025-03-05')).toBe('Mar 5, 2025');
      expect(formatDay('2025-03-05')).toBe('Mar 05, 2025');
    },
  );
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
