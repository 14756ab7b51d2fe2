import { useQuery } from '@tanstack/react-query';
import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { authQueries } from '@/features/accounts/auth/queries';
import { OfflineSupport } from '@/app/shell/offline-support';
import { ada } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, refuse, SIGNED_OUT } from '@/testing/server';

const { loadAnew } = vi.hoisted(() => ({ loadAnew: vi.fn<() => void>() }));
vi.mock('@/lib/load-anew', () => ({ loadAnew }));

const bob = { ...ada, id: 'user-2', firstName: 'Bob' };

beforeEach(() => {
  // Who was here last is remembered by the module.
  vi.resetModules();
  loadAnew.mockClear();
  answer('get', '/api/auth/user', ada);
  answer('get', '/api/vehicles/default', null);
});

function Screen() {
  const user = useQuery(authQueries.user());
  if (user.data === undefined) return null;
  return (
    <>
      <p>{user.data?.firstName ?? 'Visitor'}</p>
      <OfflineSupport user={user.data} />
    </>
  );
}

async function open() {
  const view = renderScreen(<Screen />);
  expect(await screen.findByText('Ada')).toBeVisible();
  return view;
}

const comeBack = () =>
  act(() => {
    window.dispatchEvent(new Event('visibilitychange'));
  });

it('loads the page anew when another person has signed in in another tab', async () => {
  await open();
  answer('get', '/api/auth/user', bob);
  comeBack();
  await waitFor(() => expect(loadAnew).toHaveBeenCalledOnce());
});

it('leaves the page alone while the person is the same', async () => {
  await open();
  answer('get', '/api/auth/user', { ...ada, firstName: 'Augusta' });
  comeBack();
  expect(await screen.findByText('Augusta')).toBeVisible();
  expect(loadAnew).not.toHaveBeenCalled();
});

it('loads it anew also where nobody was signed in between', async () => {
  await open();
  refuse('get', '/api/auth/user', SIGNED_OUT);
  comeBack();
  expect(await screen.findByText('Visitor')).toBeVisible();
  expect(loadAnew).not.toHaveBeenCalled();
  answer('get', '/api/auth/user', bob);
  comeBack();
  await waitFor(() => expect(loadAnew).toHaveBeenCalledOnce());
});
