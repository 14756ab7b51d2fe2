import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useToast } from '@/components/ui/use-toast';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { vehicleMutations } from '@/features/garage/vehicles/mutations';
import { vehicleQueries } from '@/features/garage/vehicles/queries';

/**
 * Makes a vehicle the default and tells how it went; `fallback` differs by place (section 8).
 *
 * The list shows the choice at once, and takes it back when it fails. What a scan is for follows only when the server
 * knows it: its answers are for the default that it has.
 */
export function useDefaultVehicleChange(fallback: string) {
  const toast = useToast();
  const fail = useFailureToast();
  const queryClient = useQueryClient();
  const { queryKey } = vehicleQueries.list();
  return useMutation({
    mutationFn: vehicleMutations.setDefault,
    onMutate: async (id) => {
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData(queryKey);
      queryClient.setQueryData(queryKey, (vehicles) =>
        vehicles?.map((vehicle) => ({ ...vehicle, isDefault: vehicle.id === id })),
      );
      return before;
    },
    onSuccess: () =>
      toast({ title: 'Vehicle Updated', description: 'Default vehicle changed successfully' }),
    onError: (error, _, before) => {
      queryClient.setQueryData(queryKey, before);
      fail(error, fallback);
    },
  });
}
