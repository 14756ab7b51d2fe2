type Dropped = {
  files: File[];
  /** The names of files and folders that the browser cannot read. */
  unread: string[];
};

/** All files of what was dropped, those of folders and their subfolders included. */
export async function filesOf(dropped: DataTransfer): Promise<Dropped> {
  // Read at once: the browser takes the entries back after the event.
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry()).filter(isEntry);
  const found: Dropped = { files: [], unread: [] };
  if (entries.length === 0) found.files.push(...dropped.files);
  for (const entry of entries) await readInto(found, entry);
  return found;
}

function isEntry(entry: FileSystemEntry | null): entry is FileSystemEntry {
  return entry !== null;
}

async function readInto(found: Dropped, entry: FileSystemEntry): Promise<void> {
  try {
    if (isFile(entry)) {
      const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
      found.files.push(withPath(file, entry.fullPath.replace(/^\//, '')));
    } else if (isFolder(entry)) {
      const reader = entry.createReader();
      for (;;) {
        // A folder is read a hundred entries at a time.
        const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
          reader.readEntries(resolve, reject),
        );
        if (entries.length === 0) return;
        for (const one of entries) await readInto(found, one);
      }
    }
  } catch {
    found.unread.push(entry.name);
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
