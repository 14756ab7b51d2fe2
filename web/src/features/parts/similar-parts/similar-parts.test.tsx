import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { SimilarParts } from '@/features/parts/similar-parts/components/similar-parts';
import { renderScreen } from '@/testing/render';
import { answer, refuse } from '@/testing/server';

const plug: Schemas['SimilarPart'] = {
  id: 'part-1',
  label: 'spark-plug',
  name: 'Iridium plug',
  number: 'ILZKR7B-11S',
  brand: 'NGK',
  price: { cents: 1250, currency: 'USD' },
  similarity: 0.6249,
  thumbnailUrl: '/api/catalog/references/one/thumbnail',
};
const path = '/api/scans/scan-1/similar-parts';

it('leads to the parts that look like the scan, with their prices', async () => {
  answer('get', path, [plug, { ...plug, id: 'part-2', brand: null, number: '17', price: null }]);
  renderScreen(<SimilarParts scanId="scan-1" />);
  const link = await screen.findByRole('link', { name: 'NGK ILZKR7B-11S' });
  expect(link).toHaveAttribute('href', '/shop/parts?part=part-1');
  expect(screen.getByRole('link', { name: '17' })).toBeVisible();
  const items = screen.getAllByRole('listitem').map((item) => item.textContent);
  expect(items).toEqual([
    'NGK ILZKR7B-11SIridium plug$12.50Similarity 0.62',
    '17Iridium plugSimilarity 0.62',
  ]);
});

it('says nothing where no part looks like it', async () => {
  answer('get', path, []);
  const { container, queryClient } = renderScreen(<SimilarParts scanId="scan-1" />);
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(container).not.toHaveTextContent('your shop');
});

it('asks again after a failure', async () => {
  refuse('get', path, { status: 503, code: 'service-down', detail: 'Try again in a minute.' });
  const { person } = renderScreen(<SimilarParts scanId="scan-1" />);
  expect(await screen.findByText(/Try again in a minute\./)).toBeVisible();
  answer('get', path, [plug]);
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('link', { name: 'NGK ILZKR7B-11S' })).toBeVisible();
});
