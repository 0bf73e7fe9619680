/** @file The script of a report in a single file: shows the data in the file. */
import { mountPage, type PageData } from './mountPage.ts';

const data = document.getElementById('data')?.textContent ?? '';
mountPage(document.body, JSON.parse(data) as PageData);
