import { useMutation } from '@tanstack/react-query';
import { sentenceOf } from '@/api/api-error';
import { useToast } from '@/components/ui/use-toast';
import { vehicleMutations } from '@/features/vehicles/mutations';

/** Makes a vehicle the default and tells how it went; `fallback` differs by place (section 8). */
export function useDefaultVehicleChange(fallback: string) {
  const toast = useToast();
  return useMutation({
    ...vehicleMutations.setDefault(),
    onSuccess: () => {
      toast({ title: 'Vehicle Updated', description: 'Default vehicle changed successfully' });
    },
    onError: (error) => {
      toast({ title: 'Error', description: sentenceOf(error, fallback), tone: 'bad' });
    },
  });
}
