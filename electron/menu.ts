/** The menu bar: the system's own entries under their own keys, and nothing that the window itself has. On Linux and Windows it shows when Alt is pressed. */
import { Menu, type MenuItemConstructorOptions } from 'electron';

export function setMenu(platform: NodeJS.Platform = process.platform): void {
  const quit: MenuItemConstructorOptions = { role: 'quit', label: 'Quit (runs go on)' };
  const mac: MenuItemConstructorOptions[] = [
    {
      label: 'Whetstone',
      submenu: [
        { role: 'about' },
        { type: 'separator' },
        { role: 'hide' },
        { role: 'hideOthers' },
        { role: 'unhide' },
        { type: 'separator' },
        quit,
      ],
    },
  ];
  const other: MenuItemConstructorOptions[] = [{ label: 'File', submenu: [{ role: 'close' }, quit] }];
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(platform === 'darwin' ? mac : other),
      { role: 'editMenu' },
      {
        label: 'View',
        submenu: [
          { role: 'reload' },
          { role: 'toggleDevTools' },
          { type: 'separator' },
          { role: 'resetZoom' },
          { role: 'zoomIn' },
          { role: 'zoomOut' },
          { type: 'separator' },
          { role: 'togglefullscreen' },
        ],
      },
      { role: 'windowMenu' },
    ]),
  );
}
