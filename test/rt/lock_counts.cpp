// Locking, unlocking and waiting count one access to the lock each, so that a lock
// in memory of zeros is not "never accessed".
// DEFINE: %{how} =
// DEFINE: %{show} = rm -f %t.raw && %memprof-clangxx -fmemory-profile -O2 %debugflags -pthread %{how} %s -o %t && \
// DEFINE:   env MEMPROF_PROFILE_FILE=%t.raw %t && %memprofdata show --top=20 %t.raw
// RUN: %{show} | FileCheck %s --check-prefix=TOTAL
// REDEFINE: %{how} = -mllvm -memprof-access=rw
// RUN: %{show} | FileCheck %s --check-prefix=RW
// TOTAL-DAG: {{^}} 2,000 accesses
// RW-DAG: 2,000 reads, 2,000 writes
// TOTAL-DAG: {{^}} 60 accesses
// RW-DAG: 60 reads, 50 writes
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>

template <typename Lock> static Lock *zeros(std::size_t bytes)
{
    return static_cast<Lock *>(std::calloc(1, bytes));
}

int main()
{
    std::mutex *const mutex = zeros<std::mutex>(10001);

    for (int i = 0; i < 1000; i++)
        std::lock_guard<std::mutex> guard(*mutex);
    std::free(mutex);

    pthread_rwlock_t *const others = zeros<pthread_rwlock_t>(10002);
    sem_t *const semaphore = reinterpret_cast<sem_t *>(others + 1);
    pthread_cond_t *const condition =
        reinterpret_cast<pthread_cond_t *>(others + 2);

    for (int i = 0; i < 10; i++) {
        pthread_rwlock_rdlock(others);
        pthread_rwlock_unlock(others);
        sem_post(semaphore);
        sem_wait(semaphore);
        sem_post(semaphore);
        pthread_cond_signal(condition);
    }
    std::free(others);
}
