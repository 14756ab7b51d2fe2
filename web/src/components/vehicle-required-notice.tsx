import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { ADD_VEHICLE, paths } from '@/config/paths';

type VehicleRequiredNoticeProps = { children: ReactNode };

/** Stands where parts cannot be scanned for want of a vehicle, and says why one is needed. */
export function VehicleRequiredNotice({ children }: VehicleRequiredNoticeProps) {
  return (
    <Notice
      tone="warn"
      title="Vehicle Required"
      action={
        <Button asChild size="small">
          <Link to={paths.vehicle} state={ADD_VEHICLE}>
            Add Vehicle
          </Link>
        </Button>
      }
    >
      {children}
    </Notice>
  );
}
