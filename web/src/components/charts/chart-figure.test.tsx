import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ChartFigure } from '@/components/charts/chart-figure';

it('says outside of the picture that it could not be drawn, beside its figures', () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const Broken = () => {
    throw new Error('no library');
  };
  render(
    <ChartFigure title="Mileage" summary="Up." figures={{ head: ['Day', 'Miles'], rows: [] }}>
      <Broken />
    </ChartFigure>,
  );
  expect(screen.getByText(/could not be loaded\. The figures say the same/)).toBeVisible();
  expect(screen.queryByRole('img')).not.toBeInTheDocument();
  expect(
    screen.getByRole('region', { name: 'Figures of Mileage', hidden: true }),
  ).toBeInTheDocument();
});
