/** All files of what was dropped, those of folders and their subfolders included. */
export async function filesOf(dropped: DataTransfer): Promise<File[]> {
  // Read at once: the browser takes the entries back after the event.
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry()).filter(isEntry);
  if (entries.length === 0) return [...dropped.files];
  const found = await Promise.all(entries.map((entry) => filesIn(entry)));
  return found.flat();
}

function isEntry(entry: FileSystemEntry | null): entry is FileSystemEntry {
  return entry !== null;
}

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [withPath(file, entry.fullPath.replace(/^\//, ''))];
  }
  if (!isFolder(entry)) return [];
  const reader = entry.createReader();
  const found: File[] = [];
  for (;;) {
    // A folder is read a hundred entries at a time.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return found;
    for (const one of entries) found.push(...(await filesIn(one)));
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

/** A dropped file with its path, as one of a chosen folder has it: both are the same photo then. */
function withPath(file: File, path: string): File {
  if (path.includes('/')) Object.defineProperty(file, 'webkitRelativePath', { value: path });
  return file;
}
