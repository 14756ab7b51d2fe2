import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { CatalogStatus } from '@/features/teaching/catalog-doctor/components/catalog-status';
import { Diagnosis } from '@/features/teaching/catalog-doctor/components/diagnosis';
import { renderScreen } from '@/testing/render';
import { answer, refuse } from '@/testing/server';

const photo = (id: string, part: Schemas['NamedPart']): Schemas['PartPhoto'] => ({
  id,
  label: part.label,
  typeName: part.name,
  thumbnailUrl: `/api/catalog/references/${id}/thumbnail`,
});
const egr = { label: 'egr-valve', name: 'EGR valve' };
const pump = { label: 'vacuum-pump', name: 'Vacuum pump' };
const rim = { label: 'rim', name: 'Rim' };

const diagnosis: Schemas['CatalogDiagnosis'] = {
  references: 40,
  ofOtherModel: 2,
  examined: 30,
  judged: 28,
  right: 25,
  confusions: [
    {
      parts: [egr, pump],
      photos: 3,
      taken: 2,
      examples: [[photo('a', egr), photo('b', pump)]],
    },
  ],
  copies: [
    {
      photos: [photo('c', egr), photo('d', pump)],
      samePart: false,
      similarity: 0.999,
    },
  ],
  nCopies: 3,
  outliers: [{ photo: photo('e', egr), similarity: 0.21, nearest: photo('f', rim) }],
  nOutliers: 1,
  lonely: [{ part: pump, photo: null }],
  lookAlikes: [[egr, rim]],
};
const status: Schemas['Catalog'] = {
  modelSha256: '00',
  references: 40,
  usable: 38,
  withoutPicture: [photo('g', rim)],
  reembedding: { running: true, total: 10, done: 4, failed: 1 },
};

it('shows what is doubtful, with photos that lead to the part', async () => {
  answer('get', '/api/catalog/doctor', diagnosis);
  renderScreen(<Diagnosis />);
  expect(await screen.findByText(/Of 28 photos .* 25 would be recognised/)).toBeVisible();
  expect(screen.getByText(/Only 30 of 40 photos were looked at/)).toBeVisible();
  const alike = within(screen.getByRole('region', { name: /Hard to tell apart/ }));
  expect(alike.getByText(/3 photos near the other part, 2 would be taken for it/)).toBeVisible();
  expect(alike.getByRole('link', { name: 'EGR valve' })).toHaveAttribute(
    'href',
    '/shop/taught/egr-valve',
  );
  expect(alike.getAllByRole('img')).toHaveLength(2);
  const marked = within(screen.getByRole('region', { name: /Marked look-alikes/ }));
  expect(marked.getByRole('link', { name: 'Rim' })).toHaveAttribute('href', '/shop/taught/rim');
  const copies = within(screen.getByRole('region', { name: /Copies/ }));
  expect(copies.getByText(/Of two parts; one is wrong, 99% alike/)).toBeVisible();
  expect(copies.getByRole('link', { name: /Vacuum pump/ })).toHaveAttribute(
    'href',
    '/shop/taught/vacuum-pump',
  );
  expect(copies.getByText('2 more come up once these are corrected.')).toBeVisible();
  // How alike the nearest is, the server does not say.
  expect(screen.getByText('21% like the others of its part')).toBeVisible();
  expect(screen.getByText('Nearest of another part: Rim')).toBeVisible();
  expect(screen.getByText('has no photo')).toBeVisible();
});

it('says that there is nothing to check, and asks again when the server is at it', async () => {
  refuse('get', '/api/catalog/doctor', { status: 503, detail: 'Another look is under way.' });
  const { person } = renderScreen(<Diagnosis />);
  expect(await screen.findByText('Another look is under way.')).toBeVisible();
  answer('get', '/api/catalog/doctor', {
    ...diagnosis,
    references: 0,
    confusions: [],
    copies: [],
    outliers: [],
    lonely: [],
    lookAlikes: [],
  });
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText(/Teach a part first/)).toBeVisible();
  expect(screen.queryByText('Copies')).not.toBeInTheDocument();
});

it('says how far a new model is, and what has to be taught again', async () => {
  answer('get', '/api/catalog', status);
  renderScreen(<CatalogStatus />);
  expect(await screen.findByText('The model knows 38 of 40 photos.')).toBeVisible();
  expect(screen.getByRole('progressbar', { name: 'Photos looked at' })).toHaveValue(4);
  expect(screen.getByText(/1 photo could not be used/)).toBeVisible();
  expect(screen.getByText(/Of 1 photo no picture is kept/)).toBeVisible();
});

it('does not call parts of one photo distinct', async () => {
  const nothing = { confusions: [], copies: [], nCopies: 0, outliers: [], nOutliers: 0 };
  const one = { ...diagnosis, ...nothing, references: 1, examined: 1, judged: 0, right: 0 };
  answer('get', '/api/catalog/doctor', { ...one, lonely: [{ part: egr, photo: photo('a', egr) }] });
  renderScreen(<Diagnosis />);
  expect(await screen.findByText(/No part has two photos yet/)).toBeVisible();
  expect(screen.getAllByText(/Not known yet/)).toHaveLength(2);
  expect(screen.queryByText(/No two parts look alike/)).toBeNull();
});
