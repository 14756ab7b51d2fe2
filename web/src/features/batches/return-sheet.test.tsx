import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ReturnSheet } from '@/features/batches/components/return-sheet';
import { batch, checked, item, serveItems } from '@/testing/batch';
import { renderScreen } from '@/testing/render';
import { answer } from '@/testing/server';

it('prints how sure an answer was only where nobody checked it', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems([item(1), checked(2, 'not-a-part'), checked(3, 'right')]);
  renderScreen(<ReturnSheet id="batch-1" />);
  const [first, second, third] = await screen.findAllByRole('listitem');
  expect(first).toHaveTextContent('1.jpg, 61%');
  expect(second).toHaveTextContent('Not a part');
  expect(second).toHaveTextContent('2.jpg, corrected');
  expect(third).toHaveTextContent('3.jpg, confirmed');
});
