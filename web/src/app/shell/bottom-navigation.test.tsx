import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { BottomNavigation } from '@/app/shell/bottom-navigation';
import { renderScreen } from '@/testing/render';

it('underlines the current screen where the system has its own colours', () => {
  renderScreen(<BottomNavigation />);
  const current = screen.getByRole('link', { current: 'page' });
  expect(current).toHaveTextContent('Scan');
  expect(current).toHaveClass('forced-colors:aria-[current=page]:underline');
});
