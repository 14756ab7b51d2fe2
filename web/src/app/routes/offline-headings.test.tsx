import { act, screen } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { Route, Routes } from 'react-router';
import { expect, it } from 'vitest';
import { PartsRoute } from '@/app/routes/parts';
import { ProfileRoute } from '@/app/routes/profile';
import { ada } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, server } from '@/testing/server';

const heading = () => screen.getByRole('heading', { level: 1 });

it('names the account page where the account could not be loaded', async () => {
  server.use(http.all('*', () => HttpResponse.error()));
  renderScreen(<ProfileRoute />);
  expect(await screen.findByText('Your account could not be loaded')).toBeVisible();
  expect(heading()).toHaveTextContent('Your account');
});

it.each(['Your account', 'Your vehicle'])(
  'names the category where this could not be loaded: %s',
  async (what) => {
    server.use(http.all('*', () => HttpResponse.error()));
    if (what === 'Your vehicle') answer('get', '/api/auth/user', ada);
    const { router } = renderScreen(
      <Routes>
        <Route path="/parts/:category" element={<PartsRoute />} />
        <Route path="*" element={null} />
      </Routes>,
    );
    await act(() => router.navigate('/parts/brake'));
    expect(await screen.findByText(`${what} could not be loaded`)).toBeVisible();
    expect(heading()).toHaveTextContent('Brake System');
  },
);
