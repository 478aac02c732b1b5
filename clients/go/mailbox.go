package palio

import "sync"

// mailbox is a queue without bound: who puts something in never waits.
type mailbox[T any] struct {
	mu     sync.Mutex
	filled sync.Cond
	items  []T
	closed bool
}

func newMailbox[T any]() *mailbox[T] {
	m := &mailbox[T]{}
	m.filled.L = &m.mu
	return m
}

// put appends an item; one put into a closed mailbox is lost.
func (m *mailbox[T]) put(item T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.items = append(m.items, item)
		m.filled.Signal()
	}
}

// close lets take report false once the items before it are taken.
func (m *mailbox[T]) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.filled.Broadcast()
}

// take waits for the next item.
func (m *mailbox[T]) take() (item T, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.items) == 0 && !m.closed {
		m.filled.Wait()
	}
	if len(m.items) == 0 {
		return item, false
	}
	item, m.items = m.items[0], m.items[1:]
	return item, true
}
