import { DatabaseExplorer } from '@/features/garage/vehicle-database/components/database-explorer';

export function VehicleDatabaseRoute() {
  return (
    <div className="page grid gap-6">
      <title>Partsight - Vehicle Database Test</title>
      <header>
        <h1 className="page-title">Vehicle Database Test</h1>
        <p className="mt-1 text-soft">What the vehicle database of this server answers.</p>
      </header>
      <DatabaseExplorer />
    </div>
  );
}
