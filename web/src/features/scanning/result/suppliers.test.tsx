import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { civic, notSureView, rotorView, supplier, truck } from '@/testing/fixtures';
import { hrefOf } from '@/testing/render';
import { openScanResult, showScanResult } from '@/testing/scan-result';
import { answer, refuse, server } from '@/testing/server';

it('cannot buy without suppliers', async () => {
  openScanResult(rotorView);
  expect(await screen.findByText('No suppliers found for this part')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Buy Now' })).toBeDisabled();
});

it.each([
  ['is sold out', { inStock: false }],
  ['does not fit', { fits: false }],
])('buys nothing that %s', async (_, facts) => {
  const { unmount } = openScanResult(rotorView, [
    supplier({ name: 'Cheap', price: 10, ...facts }),
    supplier({ name: 'Dear', price: 70 }),
  ]);
  await waitFor(() => expect(hrefOf('Buy Now')).toBe('https://dear.example/'));
  unmount();
  openScanResult(rotorView, [supplier({ name: 'Cheap', price: 10, ...facts })]);
  await screen.findByRole('heading', { name: 'Cheap' });
  const buy = screen.getByRole('button', { name: 'Buy Now' });
  expect(buy).toBeDisabled();
  expect(buy).toHaveAccessibleDescription(/^Every offer below is out of stock or does not fit/);
});

it.each([
  ['identified', rotorView, true],
  ['not sure', notSureView, false],
])('offers to buy what it has %s, brightly: %o', async (_, view, bright) => {
  openScanResult(view, [supplier({ name: 'Shop', price: 10 })]);
  const buy = await screen.findByRole('link', { name: 'Buy Now' });
  expect(buy.classList.contains('bg-accent')).toBe(bright);
});

it('lists suppliers by price and marks an estimate as one', async () => {
  openScanResult(rotorView, [
    supplier({ name: 'Guess', price: 9, isEstimate: true }),
    supplier({ name: 'Dear', price: 70, inStock: true }),
    supplier({ name: 'Cheap', price: 64.5, vehicleSpecificUrl: 'https://cheap.example/civic' }),
  ]);
  const cheap = within(await screen.findByRole('article', { name: 'Cheap' }));
  expect(cheap.getByText('Best Price')).toBeVisible();
  expect(cheap.getByRole('link', { name: 'View at Cheap' })).toHaveAttribute(
    'href',
    'https://cheap.example/civic',
  );
  const dear = within(screen.getByRole('article', { name: 'Dear' }));
  expect(dear.getByText('In Stock')).toBeVisible();
  expect(dear.getByText('+$5.50 over best price')).toBeVisible();
  const guess = within(screen.getByRole('article', { name: 'Guess' }));
  expect(guess.getByText('Estimate')).toBeVisible();
  expect(guess.queryByText('Best Price')).not.toBeInTheDocument();
});

it('says where an offer comes from, since when, in which currency, and what is missing', async () => {
  answer('get', '/api/parts/brake-rotor/ai-suppliers', {
    suppliers: [
      supplier({
        name: 'Lee & Sons',
        listedPrice: 45.9,
        currency: 'EUR',
        priceNote: 'EUR 45.90',
        sourceName: 'Spring 2027',
        asOf: '2026-11-20T12:00:00Z',
        fits: true,
      }),
      supplier({ name: 'Shop', source: 'retailer', asOf: null }),
      supplier({
        name: 'Find',
        source: 'retailer',
        asOf: null,
        vehicleSpecificUrl: 'https://find.example/?q=civic',
      }),
    ],
    sources: [{ source: 'ebay', answered: false, cached: false, asOf: null, failure: 'timed-out' }],
  });
  showScanResult(rotorView);
  const lee = within(await screen.findByRole('article', { name: 'Lee & Sons' }));
  expect(lee.getAllByText(/EUR.45\.90/)).toHaveLength(1);
  expect(lee.getByText('Price list Spring 2027, as of Nov 20, 2026')).toBeVisible();
  expect(lee.getByText('Fits')).toBeVisible();
  const shop = within(screen.getByRole('article', { name: 'Shop' }));
  expect(shop.getByText('Link to the shop’s start page')).toBeVisible();
  expect(screen.getByText('Link to the shop’s search')).toBeVisible();
  expect(shop.getByText('Price on their site')).toBeVisible();
  expect(screen.getByText('eBay did not answer in time.')).toBeVisible();
});

it("falls back to the scan's own suppliers, and never links to a script", async () => {
  refuse('get', '/api/parts/brake-rotor/ai-suppliers', { status: 503, detail: 'Busy.' });
  const own = supplier({ name: 'Own', website: 'javascript:alert(1)' });
  showScanResult({ ...rotorView, suppliers: [own] });
  expect(await screen.findByRole('article', { name: 'Own' })).toBeVisible();
  expect(screen.queryByRole('link', { name: /View/ })).not.toBeInTheDocument();
});

it('asks suppliers for its own vehicle when another is the default by now', async () => {
  const asked = vi.fn();
  server.use(
    http.get('/api/parts/brake-rotor/ai-suppliers', ({ request }) => {
      asked(new URL(request.url).search);
      return HttpResponse.json({ suppliers: [supplier({ name: 'For the Civic' })], sources: [] });
    }),
  );
  const vehicles = [
    { ...truck, isDefault: true },
    { ...civic, isDefault: false },
  ];
  showScanResult({ ...rotorView, suppliers: [supplier({ name: 'Own' })] }, { vehicles });
  expect(await screen.findByRole('article', { name: 'For the Civic' })).toBeVisible();
  expect(asked).toHaveBeenCalledExactlyOnceWith('?vehicleId=vehicle-1');
});

it('keeps to its own suppliers when its vehicle is gone', async () => {
  const view = { ...rotorView, suppliers: [supplier({ name: 'Own' })] };
  openScanResult(view, [supplier({ name: 'For the truck' })], { vehicles: [truck] });
  expect(await screen.findByRole('article', { name: 'Own' })).toBeVisible();
  expect(screen.queryByText('For the truck')).not.toBeInTheDocument();
});
