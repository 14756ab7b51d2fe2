import { render, screen, within } from '@testing-library/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { describe, expect, it } from 'vitest';
import { createQueryClient } from '@/api/query-client';
import { AccountScreen } from '@/app/routes/profile/account-screen';
import { HomeShop } from '@/app/routes/home-shop';
import { ShopRoute } from '@/app/routes/shop';
import { ShopApiKeysRoute } from '@/app/routes/shop/api-keys';
import { ShopExportsRoute } from '@/app/routes/shop/exports';
import { ShopTeamRoute } from '@/app/routes/shop/team';
import { SHOP_TOOLS } from '@/app/routes/shop/tools';
import { ShopUsageRoute } from '@/app/routes/shop/usage';
import { ShopWebhooksRoute } from '@/app/routes/shop/webhooks';
import { TopBar } from '@/app/shell/top-bar';
import { routes } from '@/app/router';
import { movedPaths, paths } from '@/config/paths';
import { bob, garage, invited, owner } from '@/testing/company';
import { ada, civic } from '@/testing/fixtures';
import { confirm, hrefOf, renderScreen } from '@/testing/render';
import { answer, note, refuse, SIGNED_OUT } from '@/testing/server';

const shopkeeper = { ...ada, planType: 'business' } as const;

const desk = {
  id: 'key-1',
  name: 'Returns desk',
  prefix: 'ps_live_8f14e4',
  scopes: ['scan' as const],
  createdAt: '2026-01-02T03:04:05Z',
  expiresAt: null,
  lastUsedAt: null,
};

function answerShop() {
  answer('get', '/api/auth/user', shopkeeper);
  answer('get', '/api/catalog/types', []);
  answer('get', '/api/catalog/parts', []);
  answer('get', '/api/price-lists', []);
  answer('get', '/api/cross-references', []);
  answer('get', '/api/company', garage);
  answer('get', '/api/company/company-1/members', [owner, bob, invited]);
  answer('get', '/api/api-keys', []);
  answer('get', '/api/webhooks', []);
  refuse('get', '/api/usage', { status: 503, detail: 'Busy.' });
}

describe("a shop's home", () => {
  it('has every tool one tap away, and says how much there is of it', async () => {
    answerShop();
    renderScreen(<ShopRoute />);
    const tools = await screen.findByRole('navigation', { name: 'Tools of your shop' });
    expect(within(tools).getAllByRole('link')).toHaveLength(SHOP_TOOLS.length);
    for (const { title, to } of SHOP_TOOLS) {
      expect(within(tools).getByRole('link', { name: new RegExp(`^${title}`) })).toHaveAttribute(
        'href',
        to,
      );
    }
    const figure = (title: RegExp, text: string) =>
      within(within(tools).getByRole('link', { name: title })).findByText(text);
    expect(await figure(/^Taught Parts/, '0 parts')).toBeVisible();
    expect(await figure(/^Price Lists/, '0 lists')).toBeVisible();
    expect(await figure(/^Cross-References/, '0 lists')).toBeVisible();
    expect(await figure(/^API Keys/, '0 keys')).toBeVisible();
    // Who was only asked is not in the team.
    expect(await figure(/^Company and Team/, '2 people')).toBeVisible();
  });

  it('stands although a figure cannot be had', async () => {
    answerShop();
    renderScreen(<ShopRoute />);
    expect(await screen.findByRole('link', { name: /^Usage/ })).toBeVisible();
    expect(screen.queryByText(/Busy/)).not.toBeInTheDocument();
  });

  it('asks a visitor to sign in', async () => {
    refuse('get', '/api/auth/user', SIGNED_OUT);
    renderScreen(<ShopRoute />);
    expect(await screen.findByText('Sign in to open your shop.')).toBeVisible();
  });

  it('is no empty shop on other plans, but the way to what they have', async () => {
    answer('get', '/api/auth/user', { ...ada, planType: 'pro' });
    answer('get', '/api/api-keys', []);
    answer('get', '/api/webhooks', []);
    renderScreen(<ShopRoute />);
    expect(await screen.findByText('A shop comes with Business')).toBeVisible();
    expect(screen.queryByRole('navigation')).not.toBeInTheDocument();
    expect(hrefOf('Taught Parts')).toBe(paths.catalog);
    expect(hrefOf('Bench')).toBe(paths.bench);
    expect(hrefOf('See Plans')).toBe(paths.pricing);
  });

  it('is one tap from the home screen and from the top bar of those who have one', () => {
    answer('get', '/api/vehicles/default', civic);
    answer('get', '/api/vehicles', [civic]);
    answer('get', '/api/alerts', []);
    const bar = renderScreen(<TopBar user={shopkeeper} loading={false} failed={null} />);
    expect(hrefOf('Shop')).toBe(paths.shop);
    bar.unmount();
    // Somebody of whom nothing could be loaded is not told to sign in.
    const unknown = renderScreen(
      <TopBar user={null} loading={false} failed="Account not loaded" />,
    );
    expect(screen.getByText('Account not loaded')).toBeVisible();
    expect(screen.queryByText(/Sign in/)).not.toBeInTheDocument();
    unknown.unmount();
    const other = renderScreen(<TopBar user={ada} loading={false} failed={null} />);
    expect(screen.queryByRole('link', { name: 'Shop' })).not.toBeInTheDocument();
    other.unmount();
    renderScreen(<HomeShop />);
    expect(hrefOf(/^Your Shop Batches, bench,/)).toBe(paths.shop);
  });
});

describe('a tool of the shop', () => {
  const screens = [
    ['API Keys', <ShopApiKeysRoute />],
    ['Webhooks', <ShopWebhooksRoute />],
    ['Usage', <ShopUsageRoute />],
    ['Exports', <ShopExportsRoute />],
    ['Company and Team', <ShopTeamRoute />],
  ] as const;

  it.each(screens)('%s: has the way back to the shop', async (title, element) => {
    answerShop();
    renderScreen(element);
    expect(await screen.findByRole('link', { name: 'Shop' })).toHaveAttribute('href', paths.shop);
    expect(screen.getByRole('heading', { level: 1, name: title })).toBeVisible();
  });

  it.each(screens)('%s: says on other plans how to get it', async (_title, element) => {
    answer('get', '/api/auth/user', ada);
    answer('get', '/api/company', null);
    answer('get', '/api/api-keys', []);
    answer('get', '/api/webhooks', []);
    renderScreen(element);
    expect(await screen.findByText('Part of the Business plan')).toBeVisible();
    expect(hrefOf('See Plans')).toBe(paths.pricing);
    expect(screen.queryByRole('link', { name: 'Shop' })).not.toBeInTheDocument();
  });

  it('still lets keys be revoked whose plan has ended, from the way that leads there', async () => {
    answer('get', '/api/auth/user', ada);
    answer('get', '/api/webhooks', []);
    answer('get', '/api/api-keys', [desk]);
    const sent = note('delete', '/api/api-keys/key-1');
    const { person, unmount } = renderScreen(<ShopRoute />);
    expect(await screen.findByRole('link', { name: 'API Keys' })).toBeVisible();
    expect(screen.queryByRole('link', { name: 'Webhooks' })).not.toBeInTheDocument();
    unmount();
    renderScreen(<ShopApiKeysRoute />);
    await person.click(await screen.findByRole('button', { name: 'Revoke Returns desk' }));
    expect(screen.queryByRole('button', { name: 'Create Key' })).not.toBeInTheDocument();
    await confirm(person, 'Revoke Key');
    expect(await screen.findByText('Key revoked')).toBeVisible();
    expect(sent).toHaveBeenCalledOnce();
  });

  it('still shows the team to whoever is in a company whose plan has ended', async () => {
    answerShop();
    answer('get', '/api/auth/user', ada);
    renderScreen(<ShopTeamRoute />);
    expect(await screen.findByRole('list', { name: 'Members' })).toBeVisible();
  });

  it('gives its files', async () => {
    answerShop();
    renderScreen(<ShopExportsRoute />);
    expect(await screen.findByRole('link', { name: 'Download Scans as CSV' })).toHaveAttribute(
      'href',
      '/api/export/scans.csv',
    );
    expect(hrefOf('Download Fitments as ACES XML')).toBe('/api/export/parts.xml?format=aces');
  });
});

describe('the account page', () => {
  function answerAccount() {
    answerShop();
    answer('get', '/api/company/invitations', []);
    answer('get', '/api/auth/sessions', []);
    answer('get', '/api/scans/limits', { limit: 999, used: 0, remaining: 999 });
    refuse('get', '/api/subscription/status', { status: 503, detail: 'Busy.' });
    refuse('get', '/api/dial', { status: 503, detail: 'Busy.' });
    refuse('get', '/api/judge', { status: 503, detail: 'Busy.' });
    refuse('get', '/api/learning', { status: 503, detail: 'Busy.' });
  }

  it('has of a shop the company and its members, to edit there, and the way to the rest', async () => {
    answerAccount();
    renderScreen(<AccountScreen user={shopkeeper} />);
    const company = await screen.findByRole('region', { name: 'Company' });
    expect(within(company).getByRole('heading', { name: garage.name })).toBeVisible();
    expect(within(company).getByRole('button', { name: 'Edit Company' })).toBeVisible();
    const team = screen.getByRole('region', { name: 'Team Members' });
    expect(within(team).getByRole('button', { name: 'Add Member' })).toBeVisible();
    const list = await within(team).findByRole('list', { name: 'Members' });
    expect(await within(list).findAllByRole('listitem')).toHaveLength(3);
    expect(within(list).getByRole('button', { name: 'Remove Bob Lee' })).toBeEnabled();
    expect(hrefOf('Your Shop')).toBe(paths.shop);
    expect(screen.queryByRole('link', { name: 'Price Lists' })).not.toBeInTheDocument();
    expect(screen.queryByText('How Sure an Answer Must Be')).not.toBeInTheDocument();
  });

  it('keeps on other plans what it had', async () => {
    answerAccount();
    answer('get', '/api/company', null);
    renderScreen(<AccountScreen user={ada} />);
    expect(await screen.findByRole('link', { name: 'Price Lists' })).toBeVisible();
    expect(hrefOf('Price Lists')).toBe(paths.priceLists);
    expect(hrefOf('Bench')).toBe(paths.bench);
    expect(hrefOf('Accuracy')).toBe(paths.shopAccuracy);
    expect(screen.queryByRole('link', { name: 'Your Shop' })).not.toBeInTheDocument();
  });
});

describe('an earlier address', () => {
  const moved = (routes[0]?.children?.[0]?.children ?? []).filter(
    ({ path = '' }) => path in movedPaths,
  );
  const standIn = Object.values(paths).map((path) => ({ path, element: <p>Here</p> }));

  it.each([
    ['/catalog', '/shop/taught'],
    ['/catalog?teach=new', '/shop/taught?teach=new'],
    ['/catalog/my%20part', '/shop/taught/my%20part'],
    ['/catalog-doctor', '/shop/photo-check'],
    ['/shop-parts?part=part-1', '/shop/parts?part=part-1'],
    ['/price-lists', '/shop/price-lists'],
  ])('%s leads to %s', async (from, to) => {
    const router = createMemoryRouter([...moved, ...standIn], { initialEntries: [from] });
    render(
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>,
    );
    expect(await screen.findByText('Here')).toBeVisible();
    const { pathname, search } = router.state.location;
    expect(`${pathname}${search}`).toBe(to);
  });
});
