import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { VehicleDoubts } from '@/features/scanning/result/components/vehicle-doubts';
import { renderScreen } from '@/testing/render';

it('says what the vehicle speaks against, and how the photo looks alone', () => {
  const reason = 'A 2021 Tesla Model 3 has no engine with spark ignition.';
  renderScreen(
    <VehicleDoubts
      vehicleDoubts={[
        { label: 'spark-plug', name: 'Spark Plug', reason, confidenceWithoutVehicle: 0.8 },
      ]}
    />,
  );
  expect(screen.getByText('The vehicle speaks against it')).toBeVisible();
  expect(screen.getByRole('listitem')).toHaveTextContent(
    `${reason} By the photo alone it would be Spark Plug with 80%.`,
  );
});

it('is not there where nothing speaks against it', () => {
  renderScreen(<VehicleDoubts vehicleDoubts={[]} />);
  expect(screen.queryByText('The vehicle speaks against it')).not.toBeInTheDocument();
});
