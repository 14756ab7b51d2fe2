import { act, screen, waitFor } from '@testing-library/react';
import { Route, Routes } from 'react-router';
import { expect, it } from 'vitest';
import { FindPart } from '@/app/routes/find-part';
import { foundPart } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer } from '@/testing/server';

it('finds its search again on the way back from a part, and after a reload', async () => {
  answer('get', '/api/parts/search', [foundPart()]);
  const element = (
    <Routes>
      <Route path="/shop/parts" element={<FindPart />} />
      <Route path="*" element={null} />
    </Routes>
  );
  const { person, router, unmount } = renderScreen(element, '/shop/parts');
  await person.type(screen.getByRole('combobox'), 'rotor');
  await waitFor(() => expect(router.state.location.search).toBe('?find=rotor'));
  expect(router.state.historyAction).toBe('REPLACE');
  await person.click(await screen.findByRole('option'));
  expect(screen.queryByRole('combobox')).not.toBeInTheDocument();
  await act(() => router.navigate(-1));
  expect(screen.getByRole('combobox')).toHaveValue('rotor');
  // A link of the navigation leads to the same screen.
  await act(() => router.navigate('/shop/parts'));
  expect(screen.getByRole('combobox')).toHaveValue('');
  unmount();
  renderScreen(element, '/shop/parts?find=rotor');
  expect(screen.getByRole('combobox')).toHaveValue('rotor');
});
