import { cleanup, screen } from '@testing-library/react';
import { Route, Routes } from 'react-router';
import { beforeEach, expect, it } from 'vitest';
import { CatalogRoute } from '@/app/routes/catalog';
import { CatalogTypeRoute } from '@/app/routes/catalog-type';
import { CrossReferencesRoute } from '@/app/routes/cross-references';
import { PriceListsRoute } from '@/app/routes/price-lists';
import { ShopPartsRoute } from '@/app/routes/shop-parts';
import { ShopGradesRoute } from '@/app/routes/shop/grades';
import { bob, garage, owner } from '@/testing/company';
import { ada, partType } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, refuse } from '@/testing/server';

const CHANGES = /^(Add Part|Import|Upload a List|Teach a Part|Add Photos|Save)$/;

const typePage = (
  <Routes>
    <Route path="/:id" element={<CatalogTypeRoute />} />
  </Routes>
);
const screens = [
  ['Shop Parts', <ShopPartsRoute />],
  ['Price Lists', <PriceListsRoute />],
  ['Cross-References', <CrossReferencesRoute />],
  ['Taught Parts', <CatalogRoute />],
  ['a taught part', typePage],
  ['Grades', <ShopGradesRoute />],
] as const;

beforeEach(() => {
  answer('get', '/api/company', garage);
  answer('get', '/api/company/company-1/members', [owner, bob]);
  answer('get', '/api/catalog/parts', []);
  answer('get', '/api/catalog/types', []);
  answer('get', '/api/catalog/types/egr-valve', partType({ id: 'egr-valve', name: 'EGR valve' }));
  answer('get', '/api/price-lists', []);
  answer('get', '/api/cross-references', []);
  answer('get', '/api/grades/scale', { grades: ['A', 'B'] });
  refuse('get', '/api/grades/totals', { status: 503, detail: 'Busy.' });
});

const open = (id: string, element: React.ReactNode, at = '/egr-valve') => {
  answer('get', '/api/auth/user', { ...ada, id, planType: 'business' });
  renderScreen(element, at);
};

it.each(screens)('%s: offers a member nothing that would be refused', async (_, element) => {
  open('user-2', element);
  expect(await screen.findByText(/^Only those who manage your company/)).toBeVisible();
  expect(screen.queryByRole('button', { name: CHANGES })).not.toBeInTheDocument();
});

it.each(screens)('%s: can be changed by the owner', async (_, element) => {
  open(ada.id, element);
  expect((await screen.findAllByRole('button', { name: CHANGES }))[0]).toBeVisible();
  expect(screen.queryByText(/^Only those who manage/)).not.toBeInTheDocument();
});

it('opens the form of the address for those who may teach alone', async () => {
  open('user-2', <CatalogRoute />, '/?teach=new');
  expect(await screen.findByText(/^Only those who manage your company/)).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  cleanup();
  open(ada.id, <CatalogRoute />, '/?teach=new');
  expect(await screen.findByRole('dialog', { name: 'Teach a Part' })).toBeVisible();
});
